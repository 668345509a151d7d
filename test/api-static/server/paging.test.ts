// Tests the Link header: following it from page to page gives every record once.
import { describe, expect, it } from "vitest";
import { useRelease } from "./release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** The targets of a Link header by relation. */
function readLinks(header: string | null): Record<string, string> {
  const links = [...(header ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, target, relation]) => [relation ?? "", target ?? ""]));
}

/** The offsets of a path's links by relation. */
async function offsetsOf(path: string): Promise<Record<string, number>> {
  const links = readLinks((await served().ask(path)).headers.get("Link"));
  const offsets = Object.entries(links).map(([relation, target]) => {
    const { searchParams } = new URL(target, "http://127.0.0.1");
    return [relation, Number(searchParams.get("offset"))] as const;
  });
  return Object.fromEntries(offsets);
}

/** The ids of every page from a path on, following `next`. */
async function walk(path: string): Promise<number[]> {
  const ids: number[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response: Response = await served().ask(next);
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { id: number }[] };
    ids.push(...data.map(({ id }) => id));
    next = readLinks(response.headers.get("Link")).next;
  }
  return ids;
}

describe("the Link header", () => {
  const path = "/v1/funders/131635294/history"; // 2,345 records

  it.each([
    ["the first page", "", { first: 0, next: 100, last: 2300 }],
    ["a middle page", "?offset=700", { first: 0, prev: 600, next: 800, last: 2300 }],
    ["the last page", "?offset=2300", { first: 0, prev: 2200, last: 2300 }],
    ["a page past the end", "?offset=90000", { first: 0, prev: 2300, last: 2300 }],
    ["a window between pages", "?offset=50&limit=99", { first: 0, prev: 0, next: 149, last: 2277 }],
    ["a window that ends with the last record", "?offset=2245", { first: 0, prev: 2145, last: 2300 }],
    ["a search without a match", "?transaction_year=1950", { first: 0, last: 0 }],
  ])("of %s names the pages around it", async (_, query, offsets) => {
    expect(await offsetsOf(path + query)).toStrictEqual(offsets);
  });

  it("has a full last page if the number of records is a multiple of the limit", async () => {
    expect(await offsetsOf("/v1/funders/990001000/history?limit=1000")).toStrictEqual({ first: 0, last: 0 });
    expect(await offsetsOf("/v1/funders/990001001/history?limit=1000")).toStrictEqual({
      first: 0,
      next: 1000,
      last: 1000,
    });
  });

  it("keeps the filters and the limit of the request", async () => {
    const query = "?purpose=support&min_amount=-5.5&transaction_year=2021&limit=7";
    const { next } = readLinks((await served().ask(path + query)).headers.get("Link"));
    const { pathname, searchParams } = new URL(next ?? "", "http://127.0.0.1");
    expect(pathname).toBe(path);
    expect(Object.fromEntries(searchParams)).toStrictEqual({
      transaction_year: "2021",
      purpose: "support",
      min_amount: "-5.50",
      limit: "7",
      offset: "7",
    });
  });
});

describe("following next", () => {
  it.each([
    ["a funder's whole history", "/v1/funders/131635294/history", '"funder_ein":"131635294"'],
    [
      "a funder's history in unusual steps",
      "/v1/funders/131635294/history?limit=333",
      '"funder_ein":"131635294"',
    ],
    ["a page key", "/v1/funders/131635294/history-1000-0.json", '"funder_ein":"131635294"'],
    ["a search by recipient", "/v1/history?recipient_ein=012345678&limit=250", '"recipient_ein":"012345678"'],
    ["everything", "/v1/history?limit=1000", '"id"'],
    [
      "a search by purpose",
      "/v1/history?purpose=snake_case+and+under&limit=50",
      '"purpose":"snake_case and under score"',
    ],
  ])("walks %s without a gap or a duplicate", async (_, path, mark) => {
    const expected = served()
      .lines.filter((line) => line.includes(mark))
      .map((line) => (JSON.parse(line) as { id: number }).id);
    const walked = await walk(path);
    expect(walked.length).toBeGreaterThan(100);
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked.toSorted()).toStrictEqual(expected.toSorted());
  });
});
