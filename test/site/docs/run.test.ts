// Tests running the guide's requests: real EINs, a real answer, and no more than a bounded part of a long one.
import { afterEach, describe, expect, it, vi } from "vitest";
import { exampleEins, pickEins, run, shownBytes, withEins } from "../../../site/src/docs/run.ts";
import { findInView } from "../../../site/src/docs/sectionInView.ts";

afterEach(() => vi.unstubAllGlobals());

describe("the EINs of requests", () => {
  it("are those of the first grant that names a recipient's", () => {
    const grants = [
      { id: 7, funder_ein: "111111111", recipient_ein: null },
      { id: 8, funder_ein: "222222222", recipient_ein: "333333333" },
    ];
    expect(pickEins(grants)).toStrictEqual({ funder: "222222222", recipient: "333333333", grant: "8" });
    expect(pickEins(grants.slice(0, 1))).toStrictEqual({ ...exampleEins, funder: "111111111", grant: "7" });
    expect(pickEins([])).toStrictEqual(exampleEins);
  });

  it("stand in the places of the examples'", () => {
    const eins = { funder: "222222222", recipient: "333333333", grant: "8" };
    expect(withEins("/v1/funders/131635294/history?limit=2", eins)).toBe(
      "/v1/funders/222222222/history?limit=2",
    );
    expect(withEins("/v1/recipients/530196605/summary", eins)).toBe("/v1/recipients/333333333/summary");
    expect(withEins("/v1/grants/39583744", eins)).toBe("/v1/grants/8");
    expect(withEins("/v1/names/eins/1316.json", eins)).toBe("/v1/names/eins/2222.json");
    expect(withEins("/v1/status", eins)).toBe("/v1/status");
  });
});

describe("run", () => {
  const answerWith = (body: string, status: number, type: string) =>
    vi.stubGlobal("fetch", async () => new Response(body, { status, headers: { "Content-Type": type } }));

  it("lays out JSON and counts the bytes that were sent, whatever the status", async () => {
    answerWith('{"error":"é"}', 404, "application/json; charset=utf-8");
    expect(await run("/v1/history")).toStrictEqual({
      status: 404,
      bytes: 14,
      isCut: false,
      text: '{\n  "error": "é"\n}',
      isJson: true,
    });
  });

  it("distinguishes a static host's own pages from the API's answers", async () => {
    for (const [status, type] of [
      [404, "text/html; charset=utf-8"],
      [404, "text/plain"],
      [200, "text/html"], // a host that answers its start page to every path
    ] as const) {
      answerWith("<h1>404</h1>", status, type);
      expect(await run("/v1/status"), `${status} ${type}`).toBeUndefined();
    }
    answerWith("<h1>502</h1>", 502, "text/html");
    expect(await run("/v1/status")).toMatchObject({ status: 502, isJson: false });
  });

  it("shows the start of a long answer", async () => {
    answerWith("id,amount\r\n".repeat(10_000), 200, "text/csv");
    const answer = await run("/v1/history.csv");
    expect(answer).toMatchObject({ bytes: shownBytes, isCut: true });
    expect(answer?.text.endsWith("\n…")).toBe(true);
  });
});

describe("the section in view", () => {
  it("is the last one that starts above the line, and the first at the top of the page", () => {
    expect(findInView([300, 900, 1500], 120, false, 900)).toBe(0);
    expect(findInView([-600, 120, 700], 120, false, 900)).toBe(1);
    expect(findInView([-600, 121, 700], 120, false, 900)).toBe(0);
  });

  it("is one in the upper half of the window at the end of the page", () => {
    expect(findInView([-900, 80, 400, 700], 120, true, 900)).toBe(2);
  });
});
