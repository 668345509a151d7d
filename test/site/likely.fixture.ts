// Answers as a release with likely recipients does, from the answers of one without.
import type { Page, Route } from "playwright-core";
import type { MatchFacts, RuleFigures } from "../../api-static/contract/answers/matches.ts";
import type { MatchRule } from "../../api-static/contract/answers/matchRules.ts";
import type { Grant, GrantsPage, RecipientSummary, Status } from "../../site/src/api/client.ts";

const evidence = "Filed by 12 funders for this name in Houston, TX.";

/** Changes the body of an answer. */
const change =
  <Body>(to: (body: Body) => object) =>
  async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: to(await response.json()) });
  };

/** Lets every grant of a recipient be likely, or every second one. */
export const answerLikely = (isOnly: boolean) => async (page: Page) => {
  await page.route(
    /\/recipients\/\d+\/summary/,
    change(({ data, ...rest }: { data: RecipientSummary }) => ({ ...rest, data: summaryOf(data, isOnly) })),
  );
  await page.route(/\/recipients\/\d+\/history\?/, async (route) => {
    const url = new URL(route.request().url());
    const [ein] = /\d{9}/.exec(url.pathname) ?? [];
    const response = await route.fetch({ url: `${url.origin}/v1/history?recipient_ein=${ein}&limit=60` });
    await route.fulfill({ response, json: pageOf(await response.json(), String(ein), isOnly) });
  });
};

function summaryOf(data: RecipientSummary, isOnly: boolean): object {
  const { records, amount, funders, years } = data;
  const part = { records, amount, funders, years };
  const matched = { ...part, rules: [{ match_rule: "history", records }] };
  const none = { records: 0, amount: 0, funders: 0, years: [] };
  const nothing = { ...none, first_year: null, last_year: null, top_funders: [], largest_grant: null };
  return isOnly ? { ...data, ...nothing, filed: none, matched } : { ...data, matched };
}

function pageOf(page: GrantsPage, ein: string, isOnly: boolean): object {
  const isLikely = (_: Grant, index: number) => isOnly || index % 2 === 1;
  return {
    ...page,
    data: page.data.map((grant, index) =>
      isLikely(grant, index) ? { ...grant, recipient_ein: null } : grant,
    ),
    matches: page.data.filter(isLikely).map(({ id }) => ({
      id,
      matched_ein: ein,
      match_rule: "history",
      match_score: 0.993,
      match_evidence: evidence,
    })),
  };
}

const compare = (compared: number, agreed: number, low: number, high: number) => ({
  compared,
  agreed,
  share: agreed / compared,
  low,
  high,
});

function figuresOf(rule: MatchRule, why: string | null, low: number): RuleFigures {
  return {
    rule,
    served: why === null,
    why,
    records: why === null ? 140_880 : 0,
    agreement: compare(99_211, 97_001, 0.9769, 0.9786),
    precision: compare(51_022, 50_870, low, 0.9991),
    alone: compare(30_112, 29_950, 0.9935, 0.9955),
    recall: 0.2311,
    disagreements: { digits: 633, unlisted: 190, same_name: 520, related_name: 602, other_name: 0 },
  };
}

/** Figures of three rules, one of which is not served. */
export const facts: MatchFacts = {
  rules_version: 3,
  why: "Without addresses in the list, there are fewer rules.",
  without_ein: 812_411,
  placed: 790_102,
  matched: 498_220,
  recall: compare(410_233, 251_062, 0.6101, 0.6139),
  rules: [
    figuresOf("history", null, 0.9982),
    figuresOf(
      "other_form_of_name",
      "Its precision is not proven: 98.10 % at least; 99.00 % is needed.",
      0.981,
    ),
    figuresOf("misspelled", null, 0.994),
  ],
};

/** Lets the release have figures of rules. */
export const answerFacts = (page: Page) =>
  page.route(
    /\/v1\/status$/,
    change((status: Status) => ({ ...status, matches: facts })),
  );
