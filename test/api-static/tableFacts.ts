// Reads the facts of a release that the table of requests uses.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { formatEin } from "../../api-static/contract/ein.ts";
import { Columns } from "../../api-static/release/columns.ts";
import {
  type FunderRow,
  funderRowBytes,
  offsetBytes,
  parts,
  readFunderRow,
  readOffset,
} from "../../api-static/release/layout.ts";

type FunderFacts = { readonly ein: string; readonly records: number };

/** Facts of a release that the table uses. */
export type TableFacts = {
  /** The funders with the most and the fewest records, and one in between. */
  readonly big: FunderFacts;
  readonly small: FunderFacts;
  readonly middle: FunderFacts;
  /** A well-formed EIN without records, and not of an organization. */
  readonly unknownEin: string;
  /** The EIN of a funder with a name; undefined if the release has none. */
  readonly organizationEin: string | undefined;
  readonly records: number;
  /** The id of the first record. */
  readonly grantId: string;
  /** Values that occur together in one record of the big funder. */
  readonly recipientEin: string;
  readonly year: number;
  readonly purposeWord: string;
  readonly nameWord: string;
  readonly type: string;
  readonly amount: string;
  /** A state of funders or recipients; any if none is known. */
  readonly state: string;
};

/** Reads the facts from a release folder. */
export function readTableFacts(folder: string): TableFacts {
  const table = readFileSync(join(folder, parts.funders));
  const rows = Array.from({ length: table.length / funderRowBytes }, (_, index) =>
    readFunderRow(table, index),
  );
  const bySize = rows.toSorted((a, b) => b.records - a.records || a.ein - b.ein);
  const [big, middle, small] = [bySize[0], bySize[Math.floor(bySize.length / 2)], bySize.at(-1)];
  if (big === undefined || middle === undefined || small === undefined)
    throw new Error(`${folder} has no funder`);
  const known = new Set(rows.map(({ ein }) => ein));
  const listed = readFileSync(join(folder, parts.organizations), "utf8").matchAll(/^\{"ein":"(\d{9})"/gm);
  const organizationEin = listed.map(([, ein]) => ein).find((ein) => known.has(Number(ein)));
  let unknown = 555_555_555;
  while (known.has(unknown)) unknown += 1;
  const facts = (row: FunderRow) => ({ ein: formatEin(row.ein), records: row.records });
  return {
    big: facts(big),
    small: facts(small),
    middle: facts(middle),
    unknownEin: formatEin(unknown),
    organizationEin,
    records: rows.reduce((sum, { records }) => sum + records, 0),
    state: readState(folder),
    grantId: /^\{"id":(-?\d+)/.exec(String(readFirstLines(folder, 0, 1)))?.[1] ?? "",
    ...readSharedValues(folder, big),
  };
}

/** The first state of the index. */
function readState(folder: string): string {
  const columns = Columns.open(join(folder, parts.columns));
  const states = Buffer.from(columns.bytes("state.bytes")).toString();
  columns.close();
  return states.slice(0, 2) || "NY";
}

type SharedValues = Pick<
  TableFacts,
  "recipientEin" | "year" | "purposeWord" | "nameWord" | "type" | "amount"
>;

/** The values of the funder's first record that has all fields, or placeholders if none has. */
function readSharedValues(folder: string, { first, records }: FunderRow): SharedValues {
  for (const line of readFirstLines(folder, first, Math.min(records, 1000))) {
    const record = JSON.parse(line) as Record<string, string | number | null>;
    const [purposeWord] = /[a-z]{4,}/i.exec(String(record.purpose ?? "")) ?? [];
    const [nameWord] = /[a-z]{3,}/i.exec(String(record.recipient_name ?? "")) ?? [];
    const [, amount] = /"amount":(-?\d+\.\d\d)/.exec(line) ?? [];
    const type = String(record.type ?? "").trim();
    if (record.recipient_ein === null || !purposeWord || !nameWord || !type || amount === undefined) continue;
    const recipientEin = String(record.recipient_ein);
    return { recipientEin, year: Number(record.transaction_year), purposeWord, nameWord, type, amount };
  }
  const words = { purposeWord: "support", nameWord: "the", type: "Schedule I" };
  return { recipientEin: "530196605", year: 2020, ...words, amount: "5000" };
}

function readFirstLines(folder: string, first: number, count: number): string[] {
  const ends = readPart(folder, parts.offsets, first * offsetBytes, (count + 1) * offsetBytes);
  const start = readOffset(ends, 0);
  const text = readPart(folder, parts.records, start, readOffset(ends, count) - start);
  return text.toString("utf8").split(",\n").slice(0, -1);
}

function readPart(folder: string, part: string, position: number, length: number): Buffer {
  const file = openSync(join(folder, part), "r");
  try {
    const bytes = Buffer.alloc(length);
    if (readSync(file, bytes, 0, length, position) !== length) throw new Error(`${part} is too short`);
    return bytes;
  } finally {
    closeSync(file);
  }
}
