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
  it("by funder or recipient matches the EIN exactly, hyphenated or not", async () => {
    for (const ein of ["012345678", "01-2345678"]) {
      await checkFinds({ recipient_ein: ein }, (row) => row.recipient_ein === "012345678");
    }
    for (const ein of ["131635294", "13-1635294"]) {
      await checkFinds({ funder_ein: ein }, (row) => row.funder_ein === "131635294");
    }
  });

  it("by year matches the year exactly", async () => {
    await checkFinds({ transaction_year: "2021" }, (row) => row.transaction_year === 2021);
  });

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

  it("narrows a search with every other", async () => {
    await checkFinds(
      { purpose: "support", min_amount: "5000", funder_ein: "131635294", transaction_year: "2020" },
      (row) =>
        row.funder_ein === "131635294" &&
        row.transaction_year === 2020 &&
        row.amount >= 5000 &&
        (row.purpose?.toLowerCase().includes("support") ?? false),
    );
  });
});

describe("a window", () => {
  it("has the first 100 records by default", async () => {
    const body = await served().askText("/v1/funders/131635294/history");
    expect(body).toBe(await served().askText("/v1/funders/131635294/history?limit=100&offset=0"));
    expect(JSON.parse(body)).toMatchObject({ limit: 100, offset: 0, total: 2345 });
  });

  it("has as many records as its limit, up to 1000", async () => {
    for (const limit of [1, 100, 101, 999, 1000]) {
      const body = JSON.parse(await served().askText(`/v1/history?limit=${limit}`)) as { data: Row[] };
      expect(body.data.length).toBe(limit);
    }
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
  it.each([
    ["limit=0", "limit", "out_of_range"],
    ["limit=1001", "limit", "out_of_range"],
    ["limit=-5", "limit", "out_of_range"],
    ["limit=1.5", "limit", "malformed"],
    ["limit=%20", "limit", "blank"],
    ["limit=5&limit=5", "limit", "repeated"],
    ["offset=1000000001", "offset", "out_of_range"],
    ["offset=-1", "offset", "out_of_range"],
    ["transaction_year=21", "transaction_year", "malformed"],
    ["recipient_ein=12345678", "recipient_ein", "malformed"],
    ["min_amount=1.005", "min_amount", "malformed"],
    ["purpose=", "purpose", "blank"],
    [`purpose=${"x".repeat(201)}`, "purpose", "out_of_range"],
    ["recipient_name=%E3%80%80", "recipient_name", "blank"],
    ["order=amount", "order", "unknown"],
    ["sort=size", "sort", "malformed"],
    ["sort=amount&offset=100001", "offset", "out_of_range"],
    ["max_year=20", "max_year", "malformed"],
    ["transaction_year=2020&min_year=2019", "min_year", "malformed"],
    ["min_amount=2&max_amount=1", "max_amount", "out_of_range"],
    ["recipient_ein=131635294,1", "recipient_ein", "malformed"],
  ])(
    "of %s names the parameter and what is wrong with it, on both operations",
    async (query, parameter, code) => {
      for (const path of ["/v1/history", "/v1/funders/131635294/history"]) {
        const body = await refusal(`${path}?${query}`);
        expect(Object.keys(body)).toStrictEqual(["success", "error", "code", "details"]);
        expect(body).toMatchObject({
          success: false,
          code: "invalid_parameter",
          details: [{ parameter, code }],
        });
        expect(body.details?.[0]?.message).toContain(parameter);
        expect(body.error).toContain(parameter);
      }
    },
  );

  it("names all problems of a request at once", async () => {
    const body = await refusal("/v1/history?limit=0&offset=x&funder_ein=1&sort=a&purpose=");
    expect(body.details?.map(({ parameter }) => parameter)).toStrictEqual([
      "limit",
      "offset",
      "funder_ein",
      "sort",
      "purpose",
    ]);
  });

  it("of a malformed EIN in the path names it along with the problems of the query", async () => {
    const body = await refusal("/v1/funders/12345/history?limit=0");
    expect(body.details?.map(({ parameter }) => parameter)).toStrictEqual(["funder_ein", "limit"]);
  });

  it("includes a funder_ein in the query of a funder's path", async () => {
    const body = await refusal("/v1/funders/131635294/history?funder_ein=131635294");
    expect(body.details).toMatchObject([{ parameter: "funder_ein", code: "unknown" }]);
  });
});

describe("a funder without records", () => {
  it("is a 404 on its path, with filters too, and an empty 200 in a search", async () => {
    const { ask, askText, facts } = served();
    for (const query of ["", "?limit=7", "?purpose=a"]) {
      const response = await ask(`/v1/funders/${facts.unknownEin}/history${query}`);
      expect(response.status).toBe(404);
      const body = (await response.json()) as Refusal;
      expect(body).toMatchObject({ success: false, code: "funder_not_found" });
      expect(body.details).toBeUndefined();
    }
    const found = await askText(`/v1/history?funder_ein=${facts.unknownEin}`);
    expect(JSON.parse(found)).toStrictEqual({ success: true, data: [], total: 0, limit: 100, offset: 0 });
  });

  it("differs from a funder whose records do not match the filters", async () => {
    const body = await served().askText("/v1/funders/131635294/history?transaction_year=1950");
    expect(JSON.parse(body)).toMatchObject({ success: true, data: [], total: 0 });
  });
});
