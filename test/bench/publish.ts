// Measures how many page files a second a publish uploads to Ceph's S3 server: node test/bench/publish.ts [ROWS, by default 100000].
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Bucket } from "../../pipeline/bucket/bucket.ts";
import { readStoreSettings } from "../../pipeline/bucketSettings.ts";
import { formatCount, Progress } from "../../pipeline/progress.ts";
import { publish } from "../../pipeline/publish/publish.ts";
import { writeSample } from "../../pipeline/sample/sample.ts";
import { readSyncSettings } from "../../pipeline/settings.ts";
import { sync } from "../../pipeline/sync.ts";
import { Radosgw } from "../pipeline/bucket/radosgw.fixture.ts";

const rows = Number(process.argv[2] ?? "100000");
const root = await mkdtemp(join(tmpdir(), "bench-publish-"));
const progress = new Progress(process.stderr, () => performance.now());
const clock = () => new Date();
const folder = join(root, "warehouse");
await writeSample({ rows, seed: 1, folder, memory: "2GB", threads: 2, spillFolder: join(root, "spill") });
const data = join(root, "data");
const settings = readSyncSettings({ WAREHOUSE: folder, DATA: data, MEMORY: "2GB" });
await sync(settings, { progress, clock, site: join(import.meta.dirname, "../../site/dist") });
const radosgw = await Radosgw.start();
try {
  const bucket = new Bucket(
    { bucket: radosgw.bucket, prefix: "bench/" },
    readStoreSettings(radosgw.environment),
  );
  const before = process.cpuUsage();
  const result = await publish(
    bucket,
    { data, keep: 3, isForced: false, origin: "" },
    {
      ...{ progress, clock, sleep, lease: 15_000, publisher: "bench", now: () => performance.now() },
      note: (line) => progress.note(line),
      purger: { purge: async () => {} },
    },
  );
  bucket.close();
  const seconds = progress.steps.find(({ name }) => name === "publish")?.seconds ?? 0;
  const { user, system } = process.cpuUsage(before);
  const uploaded = result?.uploaded ?? 0;
  process.stdout.write(
    `publish: ${formatCount(uploaded)} files in ${seconds.toFixed(1)} s, ${formatCount(uploaded / seconds)} a second; ` +
      `${((user + system) / 1000 / uploaded).toFixed(2)} ms of processor time each\n`,
  );
} finally {
  await radosgw.stop();
  await rm(root, { recursive: true });
}
