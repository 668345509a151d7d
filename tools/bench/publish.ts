// Measures a publish to Ceph's S3 server: files per second, and the processor time of both sides.

import { Radosgw } from "../../test/pipeline/base/bucket/radosgw.fixture.ts";
import { isInstalled } from "../../test/programs.ts";
import { mainScript, makeCorpus } from "./corpus.ts";
import type { BenchPart } from "./part.ts";
import { type Measured, measure } from "./process.ts";
import { median } from "./statistics.ts";
import { formatTable } from "./table.ts";

/** 12,800 files, so that the start of a publish counts little. Ceph keeps all of them in memory. */
const maxRows = 500_000;
const runsDefault = 3;

/** One publish. `storeSeconds`: processor time of Ceph. */
type Run = { readonly files: number; readonly publish: Measured; readonly storeSeconds: number };

export const publishPart: BenchPart = {
  title: "Publish",
  async run({ settings, folder, print }) {
    if (!isInstalled("radosgw", "the publish to Ceph's S3 server")) return undefined;
    const { data } = await makeCorpus(folder, Math.min(settings.rows, maxRows));
    const radosgw = await Radosgw.start();
    try {
      const runs: Run[] = [];
      for (let turn = 1; turn <= (settings.runs ?? runsDefault); turn += 1) {
        print(`publish: ${turn}`);
        runs.push(await measurePublish(radosgw, data, `s3://${radosgw.bucket}/${turn}`));
      }
      return formatResults(runs);
    } finally {
      await radosgw.stop();
    }
  },
};

/** Publishes to an empty prefix. */
async function measurePublish(radosgw: Radosgw, data: string, TO: string): Promise<Run> {
  const before = await radosgw.cpuSeconds();
  const publish = await measure(mainScript, ["publish"], { ...radosgw.environment, DATA: data, TO });
  const storeSeconds = (await radosgw.cpuSeconds()) - before;
  const [, count = ""] = / ([\d,]+) of [\d,]+ files uploaded/.exec(publish.stdout) ?? [];
  return { files: Number(count.replaceAll(",", "")), publish, storeSeconds };
}

function formatResults(runs: readonly Run[]): string {
  const middle = (read: (run: Run) => number) => median(runs.map(read));
  const perFile = (secondsOf: (run: Run) => number) => middle((run) => (secondsOf(run) / run.files) * 1000);
  const ours = perFile(({ publish }) => publish.cpuSeconds);
  const theirs = perFile(({ storeSeconds }) => storeSeconds);
  return `Whole runs of \`make publish\` into an empty bucket, with the parts for servers; medians. The bucket is in Ceph's S3 server
(radosgw), in memory and on the same cores, so processor time is more reliable than files per second.

${formatTable(
  ["files", "per second", "CPU ms per file, publish", "Ceph", "files per second of both cores"],
  [
    [
      middle(({ files }) => files).toLocaleString("en-US"),
      middle(({ files, publish }) => files / publish.seconds).toFixed(0),
      ours.toFixed(2),
      theirs.toFixed(2),
      (2000 / (ours + theirs)).toFixed(0),
    ],
  ],
)}

The last column is what two cores can do if both are busy all the time: 2,000 / (${ours.toFixed(2)} + ${theirs.toFixed(2)}).`;
}
