// Tests the contract's rules for parameters: what each accepts and matches, and the message of a rejection.
import { describe, expect, it } from "vitest";
import { folded } from "../search/oracle.ts";
import { useRelease } from "./release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

type Row = Readonly<Record<"purpose" | "recipient_name" | "recipient_ein" | "funder_ein", string | null>> & {
  readonly id: number;
  readonly transaction_year: number;
  readonly amount: number;
};

/** All records of a search, page by page, and the total that it reports. */
async function findAll(query: Record<string, string>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const parameters = new URLSearchParams({ ...query, limit: "1000", offset: String(rows.length) });
    const body = JSON.parse(await served().askText(`/v1/history?${parameters}`)) as {
      data: Row[];
      total: number;
    };
    rows.push(...body.data);
    if (body.data.length < 1000) {
      expect(body.total).toBe(rows.length);
      return rows;
    }
  }
}

const everyRow = () => served().lines.map((line) => JSON.parse(line) as Row);

/** A search finds exactly the records for which the test holds, and some but not all. */
async function checkFinds(query: Record<string, string>, holds: (row: Row) => boolean): Promise<void> {
  const found = await findAll(query);
  const expected = everyRow().filter(holds);
  expect(found.map(({ id }) => id).toSorted()).toStrictEqual(expected.map(({ id }) => id).toSorted());
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(served().lines.length);
}

describe("a filter", () => {
  it("by purpose or recipient's name matches a part in any case; a null never matches", async () => {
    for (const text of ["SUPPORT", "support", " Support "]) {
      await checkFinds({ purpose: text }, (row) => row.purpose?.toLowerCase().includes("support") ?? false);
    }
    await checkFinds({ recipient_name: "istanbul" }, (row) =>
      folded(row.recipient_name ?? "").includes("istanbul"),
    );
    const named = everyRow().filter(({ purpose }) => purpose?.toLowerCase().includes("null"));
    expect((await findAll({ purpose: "null" })).length).toBe(named.length);
  });

  it("by amount is inclusive to the cent, below zero too", async () => {
    for (const amount of [
      "50000",
      "50000.00",
      "0.01",
      "0.02",
      "-134710.00",
      "-134709.99",
      "9999999999999.99",
      "9999999999999999.99",
    ])
      await checkFinds({ min_amount: amount }, (row) => row.amount >= Number(amount));
    expect(await findAll({ min_amount: "10000000000000000" })).toStrictEqual([]);
    expect((await findAll({ min_amount: "-99999999999999999999" })).length).toBe(served().lines.length);
    const exact = await findAll({ min_amount: "50000.01", funder_ein: "131635294" });
    expect(exact.filter(({ amount }) => amount === 50000)).toStrictEqual([]);
  });
});

type Refusal = {
  success: boolean;
  error: string;
  code: string;
  details?: { parameter: string; code: string; message: string }[];
};

async function refusal(path: string): Promise<Refusal> {
  const response = await served().ask(path);
  expect(response.status, path).toBe(400);
  return (await response.json()) as Refusal;
}

describe("a rejection", () => {
  it("names all problems of a request at once", async () => {
    const body = await refusal("/v1/history?limit=0&offset=x&funder_ein=1&sort=a&purpose=");
    expect(Object.keys(body)).toStrictEqual(["success", "error", "code", "details"]);
    expect(body).toMatchObject({ success: false, code: "invalid_parameter" });
    expect(body.details?.map(({ parameter, code }) => `${parameter} ${code}`)).toStrictEqual([
      ...[
        "limit out_of_range",
        "offset malformed",
        "funder_ein malformed",
        "sort malformed",
        "purpose blank",
      ],
    ]);
    for (const { parameter, message } of body.details ?? []) {
      expect(message).toContain(parameter);
      expect(body.error).toContain(parameter);
    }
  });
});

describe("a funder without records", () => {
  it("differs from a funder whose records do not match the filters", async () => {
    const body = await served().askText("/v1/funders/131635294/history?transaction_year=1950");
    expect(JSON.parse(body)).toMatchObject({ success: true, data: [], total: 0 });
  });
});
