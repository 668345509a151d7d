// Tests which columns and types the warehouse may have, and the messages for others.
import { describe, expect, it } from "vitest";
import { type RecordField, recordFields } from "../../../api-static/contract/answers/record.ts";
import * as contract from "../../../pipeline/warehouse/columns.ts";
import { type FileSchema, findKind, nullType } from "../../../pipeline/warehouse/columns.ts";
import { columnTypes } from "../../warehouseColumns.ts";

/** The schema of a whole file with some types changed, columns added, and those of type "" omitted. */
function schema(path: string, changes: Record<string, string> = {}): FileSchema {
  const columns = Object.entries({ ...columnTypes, ...changes }).map(([name, type]) => ({ name, type }));
  return { path, columns: columns.filter(({ type }) => type !== "") };
}

const resolveColumns = (schemas: readonly FileSchema[]) =>
  contract.resolveColumns(schemas, contract.grantContract);

const integers = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"].flatMap((type) => [
  type,
  `U${type}`,
]);
const timestamps = ["TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"];
const typesByKind: Record<string, string[]> = {
  integer: integers,
  decimal: ["DECIMAL(4,0)", "DECIMAL(18,2)", "DECIMAL(38,10)"],
  floating: ["FLOAT", "DOUBLE"],
  text: ["VARCHAR"],
  timestamp: timestamps,
  timestamptz: ["TIMESTAMP WITH TIME ZONE"],
  date: ["DATE"],
  boolean: ["BOOLEAN"],
};
const otherTypes = ["BLOB", "UUID", "JSON", "TIME", "INTERVAL", "LIST", "STRUCT", "MAP", "unknown"];

const acceptedKinds: Record<RecordField, string[]> = {
  id: ["integer"],
  funder_ein: ["text", "integer"],
  transaction_year: ["integer", "text"],
  recipient_name: ["text"],
  recipient_ein: ["text", "integer"],
  type: ["text"],
  amount: ["decimal", "integer", "floating", "text"],
  non_cash_amount: ["decimal", "integer", "floating", "text"],
  non_cash_description: ["text"],
  purpose: ["text"],
  created_at: ["timestamp", "timestamptz", "date", "text"],
};

describe("findKind", () => {
  it.each(Object.entries(typesByKind))("reads the types of kind %s", (kind, names) => {
    for (const name of names) expect([name, findKind(name)]).toEqual([name, kind]);
  });

  it("returns undefined for any other type", () => {
    for (const name of [...otherTypes, nullType, "BIGINT[]", "DECIMAL", "varchar", "UDOUBLE"]) {
      expect([name, findKind(name)]).toEqual([name, undefined]);
    }
  });
});

describe("resolveColumns", () => {
  it.each(recordFields)("accepts exactly the agreed types of %s", (name) => {
    for (const [kind, typeNames] of Object.entries(typesByKind)) {
      for (const type of typeNames) {
        const { columns, problems } = resolveColumns([schema("/w/a.parquet", { [name]: type })]);
        if (acceptedKinds[name].includes(kind)) {
          expect([type, columns[name], problems]).toEqual([type, kind, []]);
        } else {
          expect(problems.join()).toContain(`column "${name}" has type ${type} in "/w/a.parquet"; expected `);
        }
      }
    }
    for (const type of otherTypes) {
      const { problems } = resolveColumns([schema("/w/a.parquet", { [name]: type })]);
      expect(problems.join()).toContain(`column "${name}" has type ${type}`);
    }
  });

  it("lists the types a column may have", () => {
    const { problems } = resolveColumns([schema("/w/a", { created_at: "TIME", purpose: "BLOB" })]);
    expect(problems).toEqual([
      'column "purpose" has type BLOB (bytes not marked as UTF-8 text) in "/w/a"; expected VARCHAR',
      'column "created_at" has type TIME in "/w/a"; expected TIMESTAMP, TIMESTAMP WITH TIME ZONE, DATE, VARCHAR',
    ]);
  });

  it("returns the columns in the record's order and the unknown ones sorted, each once", () => {
    const resolved = resolveColumns([
      schema("/w/a", { zebra: "LIST", extra: "BLOB" }),
      schema("/w/b", { Extra: "DATE" }),
    ]);
    expect(Object.keys(resolved.columns)).toEqual([...recordFields]);
    expect(resolved.unknownColumns).toEqual(["extra", "zebra"]);
    expect(resolved.problems).toEqual([]);
  });

  const optional = ["city", "state", "zip", "country", "status", "relationship"]
    .map((name) => `recipient_${name}`)
    .concat("irs_return");

  it.each(optional)(
    "knows %s in any case if it is text or has no values in every file that has it",
    (name) => {
      const files = [
        schema("/w/a", { [name]: "VARCHAR" }),
        schema("/w/b", { [name.toUpperCase()]: nullType }),
        schema("/w/c"),
      ];
      const { columns, ...resolved } = resolveColumns([schema("/w/c")]);
      expect(resolveColumns(files)).toEqual({ ...resolved, columns: { ...columns, [name]: "text" } });
    },
  );

  it.each(["irs_return", "recipient_state"] as const)(
    "reads %s only if a file has some, all as text",
    (name) => {
      const kindOf = (...types: string[]) =>
        resolveColumns(types.map((type) => schema("/w/a", { [name]: type }))).columns[name];
      const kinds = [kindOf("VARCHAR", nullType), kindOf(nullType), kindOf("DATE", "VARCHAR")];
      expect(kinds).toEqual(["text", undefined, undefined]);
    },
  );

  it("ignores optional columns of another type, with a warning that names the expected one", () => {
    const resolved = resolveColumns([
      schema("/w/a", { Recipient_ZIP: "INTEGER", recipient_state: "VARCHAR", extra: "BLOB" }),
      schema("/w/b", { recipient_zip: "VARCHAR", recipient_state: "BLOB", irs_return: "DATE" }),
    ]);
    expect([Object.keys(resolved.columns), resolved.problems]).toEqual([[...recordFields], []]);
    expect(resolved.unknownColumns).toEqual(["extra", "irs_return", "recipient_state", "recipient_zip"]);
    expect(resolved.warnings).toEqual([
      "the warehouse has an unknown column extra",
      'column "recipient_state" has type BLOB (bytes not marked as UTF-8 text) in "/w/b"; expected VARCHAR',
      'column "recipient_zip" has type INTEGER in "/w/a"; expected VARCHAR',
      'column "irs_return" has type DATE in "/w/b"; expected VARCHAR',
    ]);
  });

  it("matches names without regard to case", () => {
    const columns = schema("/w/a").columns.map(({ name, type }) => ({ name: name.toUpperCase(), type }));
    const resolved = resolveColumns([{ path: "/w/a", columns }, schema("/w/b")]);
    expect(resolved).toEqual(resolveColumns([schema("/w/b")]));
  });

  it("refuses two columns whose names differ only in case", () => {
    const { problems } = resolveColumns([schema("/w/a", { ID: "BIGINT" }), schema("/w/b", { ID: "BIGINT" })]);
    expect(problems).toEqual([
      'columns "id", "ID" differ only in case in "/w/a", "/w/b"; keep only one of them',
    ]);
  });

  it("accepts unknown and optional columns whose names differ only in case", () => {
    const twice = { extra: "BLOB", EXTRA: "DATE", recipient_city: "VARCHAR", RECIPIENT_CITY: "VARCHAR" };
    const { problems, unknownColumns } = resolveColumns([schema("/w/a", twice)]);
    expect([problems, unknownColumns]).toEqual([[], ["extra"]]);
  });

  it("omits an optional column that no file has", () => {
    const absent = { type: "", non_cash_amount: "", non_cash_description: "" };
    const { columns, problems } = resolveColumns([schema("/w/a", absent)]);
    expect(problems).toEqual([]);
    expect(Object.keys(columns)).toEqual(recordFields.filter((name) => !(name in absent)));
    expect(resolveColumns([schema("/w/a", absent), schema("/w/b")]).columns.type).toBe("text");
  });

  it("names all required columns that are missing, and the columns found", () => {
    const without = { purpose: "", amount: "", id: "", recipient_name: "", type: "", Grant: "VARCHAR" };
    const { problems } = resolveColumns([schema("/w/a", without)]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(
      'required columns "id", "recipient_name", "amount", "purpose" are missing in "/w/a"',
    );
    expect(problems[0]).toMatch(/the columns found are "funder_ein", .*"created_at", "Grant"$/);
  });

  it("names five of many files, for each set of missing columns", () => {
    const files = Array.from({ length: 17 }, (_, index) => schema(`/w/${index}`, { purpose: "" }));
    const { problems } = resolveColumns([...files, schema("/w/x", { id: "", purpose: "" }), schema("/w/y")]);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain(
      '"purpose" are missing in "/w/0", "/w/1", "/w/2", "/w/3", "/w/4" and 12 more; the columns found in the first are',
    );
    expect(problems[1]).toContain('"id", "purpose" are missing in "/w/x"; the columns found are');
  });

  it("refuses kinds that differ between files, all such columns at once", () => {
    const { problems } = resolveColumns([
      schema("/w/a", { amount: "DECIMAL(10,2)", created_at: "TIMESTAMP" }),
      schema("/w/b", { amount: "DECIMAL(18,2)", created_at: "DATE" }),
      schema("/w/c", { amount: "DOUBLE", created_at: "TIMESTAMP WITH TIME ZONE" }),
      schema("/w/d", { amount: "BIGINT" }),
    ]);
    expect(problems).toEqual([
      'column "amount" has types that differ: DECIMAL(10,2) in "/w/a", "/w/b"; DOUBLE in "/w/c"; BIGINT in "/w/d"; expected the same type in every file',
      'column "created_at" has types that differ: TIMESTAMP in "/w/a", "/w/d"; DATE in "/w/b"; TIMESTAMP WITH TIME ZONE in "/w/c"; expected the same type in every file',
    ]);
  });

  it("accepts widths that differ between files", () => {
    const { columns, problems } = resolveColumns([
      schema("/w/a", { id: "INTEGER", amount: "DECIMAL(10,2)", non_cash_amount: "FLOAT" }),
      schema("/w/b", { id: "UBIGINT", amount: "DECIMAL(38,4)", non_cash_amount: "DOUBLE" }),
    ]);
    expect(problems).toEqual([]);
    expect(columns).toMatchObject({ id: "integer", amount: "decimal", non_cash_amount: "floating" });
  });

  it("takes the kind of a column without values from the other files", () => {
    const { columns, problems } = resolveColumns([schema("/w/a", { purpose: nullType }), schema("/w/b")]);
    expect([columns.purpose, problems]).toEqual(["text", []]);
  });

  it("omits a nullable column without a value in any file", () => {
    const { columns, problems } = resolveColumns([
      schema("/w/a", { recipient_ein: nullType, type: nullType }),
      schema("/w/b", { recipient_ein: nullType, type: "" }),
    ]);
    expect([columns.recipient_ein, columns.type, problems]).toEqual([undefined, undefined, []]);
  });

  it("refuses a required column without values", () => {
    const { problems } = resolveColumns([schema("/w/a", { id: nullType })]);
    expect(problems).toEqual(['column "id" holds no value in "/w/a"']);
  });

  it("returns all problems", () => {
    const { problems } = resolveColumns([
      schema("/w/a", { id: "UUID", purpose: "", AMOUNT: "DOUBLE" }),
      schema("/w/b", { transaction_year: "VARCHAR" }),
    ]);
    expect(problems.map((problem) => problem.match(/"\w+"/)?.[0])).toEqual([
      '"amount"',
      '"purpose"',
      '"id"',
      '"transaction_year"',
      '"amount"',
    ]);
  });
});
