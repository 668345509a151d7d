// Tests the contract of records: order, keys, body text, amounts, times and nulls.
import { describe, expect, it } from "vitest";
import { nullableFields, recordFields } from "../../../api-static/contract/answers/record.ts";
import { bodyOf } from "../search/oracle.ts";
import { type CornerGrant, cornerFunders, cornerGrants, cornerLine } from "../server/corners.ts";
import { useRelease } from "../server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

type Body = { data: Record<string, string | number | null>[]; total: number };

/** The bodies of the first thousand records and of the handmade funders. */
async function bodies(): Promise<string[]> {
  const paths = Object.keys(cornerFunders).map((ein) => `/v1/funders/${ein}/history?limit=1000`);
  return Promise.all(["/v1/history?limit=1000", ...paths].map((path) => served().askText(path)));
}

/** The text of a record's field, as written in the line. */
const rawField = (line: string, name: string) =>
  new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"|[^,}]+)`).exec(line)?.[1];

function inOrder(a: CornerGrant, b: CornerGrant): number {
  const cents = (grant: CornerGrant) => BigInt(grant.amount.replace(".", ""));
  const larger = cents(b) - cents(a);
  return b.transaction_year - a.transaction_year || (larger === 0n ? a.id - b.id : larger > 0n ? 1 : -1);
}

describe("handmade grants", () => {
  it("come back as exactly the lines that the contract prescribes, newest and largest first", async () => {
    for (const [ein, records] of Object.entries(cornerFunders)) {
      const own = cornerGrants().filter((grant) => grant.funder_ein === ein);
      const lines = own.toSorted(inOrder).map(cornerLine);
      for (let offset = 0; offset < records; offset += 1000) {
        const body = await served().askText(`/v1/funders/${ein}/history?limit=1000&offset=${offset}`);
        expect(body).toBe(bodyOf(lines.slice(offset, offset + 1000), records, 1000, offset));
      }
    }
  });

  it("have ties in year and amount, so that the order by id is tested", () => {
    const seen = cornerGrants().map(({ transaction_year, amount }) => `${transaction_year} ${amount}`);
    expect(new Set(seen).size).toBeLessThan(seen.length / 10);
  });
});

describe("a body", () => {
  it("is JSON with one record per line and the envelope's keys in order", async () => {
    for (const body of await bodies()) {
      const { success, data, total, limit, offset, ...others } = JSON.parse(body) as Record<string, unknown>;
      expect({ success, limit, offset, others }).toStrictEqual({
        success: true,
        limit: 1000,
        offset: 0,
        others: {},
      });
      expect(Object.keys(JSON.parse(body) as object)).toStrictEqual([
        "success",
        "data",
        "total",
        "limit",
        "offset",
      ]);
      const lines = body.split("\n");
      expect(lines.length).toBe((data as unknown[]).length + 3); // head, records, tail, and the end of the last line
      for (const [index, record] of (data as unknown[]).entries())
        expect(JSON.parse((lines[index + 1] ?? "").replace(/,$/, ""))).toStrictEqual(record);
      expect(total).toBeGreaterThanOrEqual((data as unknown[]).length);
    }
  });

  it("has all keys of every record in their order", async () => {
    for (const body of await bodies())
      for (const record of (JSON.parse(body) as Body).data)
        expect(Object.keys(record)).toStrictEqual(recordFields);
  });

  it("has amounts with two decimals, times in UTC without empty milliseconds, EINs of nine digits", async () => {
    const seen = { milliseconds: 0, leadingZero: 0, negative: 0 };
    for (const line of (await bodies()).flatMap((body) => body.split("\n").slice(1, -2))) {
      expect(rawField(line, "amount")).toMatch(/^-?\d+\.\d\d$/);
      expect(rawField(line, "non_cash_amount")).toMatch(/^(-?\d+\.\d\d|null)$/);
      expect(rawField(line, "created_at")).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!000)\d{3})?Z"$/);
      expect(rawField(line, "funder_ein")).toMatch(/^"\d{9}"$/);
      expect(rawField(line, "recipient_ein")).toMatch(/^("\d{9}"|null)$/);
      seen.milliseconds += /\.\d{3}Z"/.test(line) ? 1 : 0;
      seen.leadingZero += /_ein":"0/.test(line) ? 1 : 0;
      seen.negative += /"amount":-/.test(line) ? 1 : 0;
    }
    for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0);
  });

  it("has null for absent or blank values, only in the six nullable fields, and never an empty text", async () => {
    const seen = new Set<string>();
    for (const record of (await bodies()).flatMap((body) => (JSON.parse(body) as Body).data)) {
      for (const [name, value] of Object.entries(record)) {
        if (value === null) seen.add(name);
        if (typeof value === "string") expect(value.trim()).not.toBe("");
      }
    }
    expect(seen).toStrictEqual(new Set(nullableFields));
  });
});

describe("an empty page", () => {
  it("past the end is a 200 with no data and the true total", async () => {
    const { askText, lines } = served();
    const beyond = "limit=100&offset=1000000000";
    expect(await askText(`/v1/funders/131635294/history?${beyond}`)).toBe(bodyOf([], 2345, 100, 1e9));
    expect(await askText(`/v1/history?${beyond}`)).toBe(bodyOf([], lines.length, 100, 1e9));
  });
});
