// Tests what the report, its page and the metrics say of likely recipients.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { noMatches } from "../../../api-static/contract/answers/matches.ts";
import { readManifest } from "../../../pipeline/releases/manifest.ts";
import { formatReport } from "../../../pipeline/report/page.ts";
import { type Report, readReport } from "../../../pipeline/report/report.ts";
import { writeMatchable } from "../matches.fixture.ts";
import { syncRelease } from "../release.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

let report: Report;
let [release, metrics] = ["", ""];

beforeAll(async () => {
  const home = folder.home; // each test has another one
  await writeMatchable(join(home, "w"));
  release = await syncRelease(join(home, "w"), join(home, "data"));
  report = await readReport(release);
  metrics = await readFile(join(home, "data/metrics.prom"), "utf8");
});

const sectionOf = (changed: Report) =>
  formatReport(changed, { state: "current", isBold: false })
    .split("\n\n")
    .find((part) => part.startsWith("Likely recipients"));

describe("the report", () => {
  it("has the facts of the manifest", async () => {
    expect(report.matches).toEqual((await readManifest(release)).matches);
  });

  it("shows rules, why some are not served, and kinds of disagreements", () => {
    const facts = report.matches ?? noMatches("");
    const rules = facts.rules.map((rule) =>
      rule.rule === "history"
        ? { ...rule, disagreements: { ...rule.disagreements, digits: 2, other_name: 1 } }
        : rule,
    );
    expect(sectionOf({ ...report, matches: { ...facts, rules } })?.split("\n")).toEqual([
      "Likely recipients",
      "  grants with a name but no EIN  380",
      "  with a place                   380  100.00 %",
      "  with a likely recipient        380  100.00 %",
      expect.stringMatching(/^ {2}recall: 100.00 % \(\d\d\.\d\d to 100\.00\) of filed EINs with a place$/),
      expect.stringMatching(/^ {2}rule +served +grants +agreement +precision, two funders +recall$/),
      expect.stringMatching(
        /^ {2}history +yes +300 +100.00 % \(99\.\d\d to 100\.00\) +100.00 % \(99\.\d\d to 100\.00\) +58\.82 %$/,
      ),
      expect.stringMatching(/^ {2}name_and_place +yes +80 /),
      expect.stringMatching(/^ {2}other_form_of_name +no +0 +0\.00 %$/),
      expect.stringMatching(/^ {2}misspelled +no +0 +0\.00 %$/),
      expect.stringMatching(/^ {2}other_form_of_name: Its precision is not proven/),
      expect.stringMatching(/^ {2}misspelled: Its precision is not proven/),
      "  disagreements       digits  other_name",
      "  history                  2           1",
      ...["name_and_place    ", "other_form_of_name", "misspelled        "].map(
        (rule) => `  ${rule}       0           0`,
      ),
      "  digits: The filed EIN differs by one or two digits.",
      "  other_name: The filed EIN belongs to an organization of another name.",
    ]);
  });

  it("says why there are none, and nothing of a refused release", () => {
    expect(sectionOf({ ...report, matches: noMatches("There are no places.") })).toBe(
      [
        "Likely recipients",
        "  grants with a name but no EIN  0",
        "  with a place                   0",
        "  with a likely recipient        0",
        "  There are no places.",
      ].join("\n"),
    );
    expect(sectionOf({ ...report, matches: null })).toBeUndefined();
  });
});

describe("the metrics", () => {
  it("have the number of matches, and how right each rule is", () => {
    const history = report.matches?.rules[0];
    for (const line of [
      "grants_release_matched_records 380",
      'grants_release_match_records{rule="history"} 300',
      'grants_release_match_served{rule="name_and_place"} 1',
      'grants_release_match_served{rule="misspelled"} 0',
      `grants_release_match_precision_low_ratio{rule="history"} ${history?.precision.low}`,
      'grants_release_match_agreement_ratio{rule="history"} 1',
    ])
      expect(metrics.split("\n")).toContain(line);
    expect(metrics).not.toContain('precision_low_ratio{rule="misspelled"}'); // nothing was compared
  });
});
