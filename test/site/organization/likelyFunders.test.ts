// Tests the sentences on likely funders, and their CSV file.
import { expect, it } from "vitest";
import type { LikelyFunders } from "../../../site/src/api/client.ts";
import { csvHref, sayReason, worth } from "../../../site/src/organization/likelyFunders.tsx";

const names = {
  nameOf: (ein: string) =>
    ein === "131635294" ? { name: '=HARBOR "STREET" FUND', city: null, state: null } : undefined,
};

const shared = (funder_ein: string) =>
  ({ kind: "shared_recipients", text: "", href: "", funder_ein, recipients: 1 }) as const;
const recent = {
  kind: "recent",
  text: "Gave to 7 recipients in the newest 2 years.",
  href: "",
  recipients: 7,
} as const;

it("says reasons with the name of a funder, or its EIN if that is unknown", () => {
  expect(sayReason(shared("131635294"), names)).toBe(
    'Gave to 1 organization that =HARBOR "STREET" FUND, one of its funders, gave to.',
  );
  expect(sayReason({ ...shared("200253310"), recipients: 12 }, names)).toBe(
    "Gave to 12 organizations that EIN 200253310, one of its funders, gave to.",
  );
  expect(sayReason(recent, names)).toBe("Gave to 7 recipients in the newest 2 years.");
});

it("says how right such lists were beside the better of both baselines", () => {
  const evaluated = {
    hit_at_10: 0.223,
    recall_at_10: { value: 0.154 },
    mrr: { value: 0.1249 },
    recipients: 2000,
    baselines: { state: 0.1035, cause: 0.2 },
  };
  expect(worth({ evaluated, basis: "organization" } as LikelyFunders["model"])).toMatch(
    /^It has no grants in this data, so only its cause and state count\. Of 2,000 recipients/,
  );
  expect(worth({ evaluated, basis: "grants" } as LikelyFunders["model"])).toBe(
    "They have not given to it in this data. Of 2,000 recipients that got a new funder in the newest year, 22% had one among the first ten of such a list, made without that year; among the ten most frequent funders of the state or cause, 20%. The first ten held 15% of all new funders (recall); the mean of 1 divided by the place of the first right one was 0.12 (MRR).",
  );
});

it("writes a CSV file that no spreadsheet runs", () => {
  const data = [
    { funder_ein: "131635294", score: 12, reasons: [recent] },
  ] as unknown as LikelyFunders["data"];
  expect(decodeURIComponent(csvHref(data, names))).toBe(
    "data:text/csv;charset=utf-8,funder_ein,funder_name,score,reasons\r\n" +
      '131635294,"\'=HARBOR ""STREET"" FUND",12,Gave to 7 recipients in the newest 2 years.\r\n',
  );
});
