// Tests lists of likely funders, and what the night says of them, against an oracle that reads the warehouse.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Evaluation, Reason } from "../../../../api-static/contract/answers/likelyFunders.ts";
import { circleRecipient, circles, ungiven, useCircles } from "../../../pipeline/likelyFunders.fixture.ts";
import { close, openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { type Giving, learn, type Place } from "../../likelyFundersOracle.ts";
import { useRelease } from "../release.fixture.ts";

const source = useCircles();
let givings: Giving[] = [];
let places = new Map<string, Place>();

beforeAll(async () => {
  const database = await openSmallDatabase();
  const read = async (sql: string) => (await database.connection.runAndReadAll(sql)).getRows();
  const pairs = await read(`SELECT funder_ein::VARCHAR, recipient_ein, list(epoch_ms(created_at))
    FROM '${join(source.warehouse, "grants.parquet")}' GROUP BY ALL ORDER BY ALL`);
  const listed = await read(
    `SELECT ein, state, ntee_code FROM '${join(source.warehouse, "organizations.parquet")}'`,
  );
  close(database);
  givings = pairs.map(([funder, recipient, times]) => ({
    funder: String(funder),
    recipient: String(recipient),
    filed: (times as { items: bigint[] }).items.map((time) => new Date(Number(time))),
  }));
  places = new Map(listed.map(([ein, state, cause]) => [String(ein), { state, cause } as Place]));
});

const served = useRelease(source);

type Answer = {
  data: { funder_ein: string; score: number; reasons: Reason[] }[];
  model: { version: number; basis: string; evaluated: Evaluation };
};

const ask = async (ein: string, query = ""): Promise<Answer> =>
  JSON.parse(await served().askText(`/v1/recipients/${ein}/likely-funders${query}`));

const newest = () => new Date(Math.max(...givings.flatMap(({ filed }) => filed.map(Number))));
const unplaced: Place = { state: null, cause: null };

describe("a list", () => {
  it("has the funders and scores of the oracle, for each recipient", async () => {
    const model = learn(givings, places, newest());
    for (let circle = 0; circle < circles.count; circle += 1)
      for (const number of [0, 5, 11]) {
        const ein = String(circleRecipient(circle, number));
        const expected = model.rank(ein, places.get(ein) ?? unplaced).slice(0, 50);
        const { data, model: about } = await ask(ein, "?limit=50");
        expect(data.map(({ funder_ein, score }) => ({ funder: funder_ein, score }))).toStrictEqual(expected);
        expect(about.basis).toBe("grants");
      }
  });

  it("of an organization without grants rests on its state and cause", async () => {
    const place = places.get(ungiven.placed) ?? unplaced;
    const expected = learn(givings, places, newest()).rank(ungiven.placed, place).slice(0, 10);
    const { data, model } = await ask(ungiven.placed);
    expect(data.map(({ funder_ein, score }) => ({ funder: funder_ein, score }))).toStrictEqual(expected);
    expect(model.basis).toBe("organization");
    expect((await ask(ungiven.unplaced)).data).toStrictEqual([]);
  });

  it("has funders of another state or cause if they are asked for, and none with larger usual grants", async () => {
    const ein = String(circleRecipient(0, 0));
    const model = learn(givings, places, newest());
    const place = places.get(ein) ?? unplaced;
    const other = model.rank(ein, { ...place, state: "VT", cause: "P2" });
    const { data } = await ask(ein, "?state=vt&cause=P20&limit=50");
    const kinds = data.map(({ reasons }) => reasons.map(({ kind }) => kind));
    expect(data.length).toBeGreaterThan(0);
    expect(kinds.every((each) => each.includes("state") && each.includes("cause"))).toBe(true);
    const scores = new Map(other.map(({ funder, score }) => [funder, score]));
    for (const { funder_ein, score } of data) expect(score).toBe(scores.get(funder_ein));
    const all = (await ask(ein, "?limit=50")).data;
    const cheap = (await ask(ein, "?limit=50&max_typical=80")).data;
    expect(cheap.length).toBeGreaterThan(0);
    expect(cheap.length).toBeLessThan(all.length);
    for (const { funder_ein } of cheap) {
      const { data: summary } = JSON.parse(await served().askText(`/v1/funders/${funder_ein}/summary`));
      expect(summary.habits.quartiles[0]).toBeLessThanOrEqual(80);
    }
  });
});

describe("a reason", () => {
  it("can be checked at its path", async () => {
    const { data } = await ask(String(circleRecipient(3, 4)));
    for (const { funder_ein, reasons } of data)
      for (const reason of reasons) {
        const found = JSON.parse(await served().askText(reason.href));
        if (reason.kind === "shared_recipients") expect(found.total).toBe(reason.recipients);
        if (reason.kind === "cause" || reason.kind === "state") {
          const filter = reason.href.slice(reason.href.indexOf("?"));
          const { data: totals } = JSON.parse(
            await served().askText(`/v1/funders/${funder_ein}/history/summary${filter}`),
          );
          expect(totals.recipients).toBe(reason.recipients);
        }
        if (reason.kind === "recent") expect(found.data.recipients).toBeGreaterThanOrEqual(reason.recipients);
      }
  });
});

describe("the evaluation", () => {
  it("counts what the oracle finds of the hidden year", async () => {
    const hiddenAfter = new Date(newest());
    hiddenAfter.setUTCFullYear(hiddenAfter.getUTCFullYear() - 1);
    const model = learn(givings, places, hiddenAfter);
    const isNew = ({ filed }: Giving) => filed.every((time) => time > hiddenAfter);
    const byRecipient = Map.groupBy(givings.filter(isNew), ({ recipient }) => recipient);
    const drawn = [...byRecipient].filter(([recipient]) => model.giversOf(recipient).length > 0);
    const evaluate = (listOf: (recipient: string, place: Place) => readonly string[]) => {
      let [hits, found, reciprocals] = [0, 0, 0];
      for (const [recipient, pairs] of drawn) {
        const list = listOf(recipient, places.get(recipient) ?? unplaced).slice(0, 10);
        const at = pairs.map(({ funder }) => list.indexOf(funder)).filter((index) => index >= 0);
        if (at.length > 0) hits += 1;
        if (at.length > 0) reciprocals += 1 / (Math.min(...at) + 1);
        found += at.length;
      }
      return { hits, found, reciprocals };
    };
    const round = (share: number) => Math.round(share * 1e4) / 1e4;
    const pairs = drawn.reduce((sum, [, { length }]) => sum + length, 0);
    const status = JSON.parse(await served().askText("/v1/status")).likely_funders;
    const popularIn = (kind: number, of: (place: Place) => string | null) =>
      evaluate((recipient, place) =>
        model.popular(kind, of(place)).filter((funder) => !model.giversOf(recipient).includes(funder)),
      ).hits;
    const state = round(popularIn(0, (place) => place.state) / drawn.length);
    const cause = round(popularIn(1, (place) => place.cause?.slice(0, 1) ?? null) / drawn.length);
    for (const basis of ["grants", "organization"]) {
      const { hits, found, reciprocals } = evaluate((recipient, place) =>
        model.rank(recipient, place, basis === "grants").map(({ funder }) => funder),
      );
      const { why_not, evaluated } = status.basis[basis];
      expect(evaluated).toMatchObject({
        recipients: drawn.length,
        pairs,
        hit_at_10: round(hits / drawn.length),
        recall_at_10: { value: round(found / pairs) },
        mrr: { value: round(reciprocals / drawn.length) },
        baselines: { state, cause },
      });
      expect(why_not).toBeNull();
      expect(evaluated.low).toBeLessThanOrEqual(evaluated.hit_at_10);
      expect(evaluated.low).toBeGreaterThan(Math.max(state, cause));
    }
    expect(status.hidden_after).toBe(hiddenAfter.toISOString().replace(".000Z", "Z"));
    expect((await ask(String(circleRecipient(0, 0)))).model.evaluated).toStrictEqual(
      status.basis.grants.evaluated,
    );
  });
});

describe("without a list", () => {
  it("an organization that nobody knows is not found", async () => {
    const response = await served().ask("/v1/recipients/999999999/likely-funders");
    expect([response.status, ((await response.json()) as { code: string }).code]).toStrictEqual([
      404,
      "recipient_not_found",
    ]);
  });

  it("problems of parameters are named together", async () => {
    const response = await served().ask(
      "/v1/recipients/720000001/likely-funders?limit=51&state=Ohio&cause=68&max_typical=x&sort=year",
    );
    const { details } = (await response.json()) as { details: { parameter: string; code: string }[] };
    expect(response.status).toBe(400);
    expect(details.map(({ parameter, code }) => [parameter, code])).toStrictEqual([
      ["limit", "out_of_range"],
      ["state", "malformed"],
      ["cause", "malformed"],
      ["max_typical", "malformed"],
      ["sort", "unknown"],
    ]);
  });
});

describe("a release whose lists are not proven", () => {
  const small = useRelease({ sampleRows: 0 });

  it("says why it has none", async () => {
    const ein = small().facts.recipientEin;
    const response = await small().ask(`/v1/recipients/${ein}/likely-funders`);
    const { code, error } = (await response.json()) as { code: string; error: string };
    expect([response.status, code]).toStrictEqual([404, "not_served"]);
    expect(error).toMatch(/^lists of likely funders are not served: Too few recipients got a new funder/);
  });
});
