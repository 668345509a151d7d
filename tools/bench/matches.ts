// Measures what likely recipients cost, and how right each rule is on the sample.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MatchFacts } from "../../api-static/contract/answers/matches.ts";
import { sampleScript } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { measure } from "./process.ts";
import { formatTable } from "./table.ts";

const matchScript = fileURLToPath(new URL("./findMatches.ts", import.meta.url));

/** What `findMatches.ts` prints. */
type Found = { cpuSeconds: number; peak: number; organizations: number; facts: MatchFacts };

export const matchesPart: BenchPart = {
  title: "Likely recipients",
  async run({ settings: { rows }, folder, print }) {
    const work = join(folder, "matches");
    const warehouse = join(work, "warehouse");
    await measure(sampleScript, [], { ROWS: String(rows), SEED: "1", OUT: warehouse });
    print("matches: finding");
    const { stdout } = await measure(matchScript, [warehouse, join(work, "found")], {});
    await rm(work, { recursive: true });
    return formatFound(rows, JSON.parse(stdout));
  },
};

function formatFound(rows: number, { cpuSeconds, peak, organizations, facts }: Found): string {
  const count = (value: number) => value.toLocaleString("en-US");
  const share = (value: number | null) => (value === null ? "–" : `${(value * 100).toFixed(2)} %`);
  const lines = facts.rules.map(({ rule, served, records, agreement, precision, recall }) => [
    ...[`\`${rule}\``, served ? "yes" : "no", count(records), share(agreement.share)],
    ...[precision.low === null ? "–" : `${share(precision.low)} to ${share(precision.high)}`, share(recall)],
  ]);
  const { recall } = facts;
  return `${count(rows)} rows and a list of ${count(organizations)} names: ${cpuSeconds.toFixed(0)} s of processor time, and a peak of ${(peak / 1e9).toFixed(1)} GB, the grants included.
Of ${count(facts.without_ein)} grants without an EIN, ${count(facts.matched)} got one; of the filed EINs with a place, ${share(recall.share)} were found while hidden.

${formatTable(["rule", "served", "matches", "agreement", "precision, 95 %", "recall"], lines, 2)}`;
}
