// Starts Ceph's S3 server for tests and benchmarks.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { findPorts } from "../../../ports.ts";
import { testKeys } from "./store.fixture.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("radosgw.sh", import.meta.url));

/** The first port and those above it that the script uses. */
const portsOfScript = 41;

/** In `/proc`, on every Linux. */
const ticksPerSecond = 100;

/** A bucket and the settings that lead commands to it. */
export type TestBucket = { readonly bucket: string; readonly environment: Record<string, string> };

/** Ceph's S3 server, with one bucket. */
export class Radosgw implements TestBucket {
  readonly bucket = "test-bucket";
  readonly environment: Record<string, string>;
  readonly #folder: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.environment = { ...testKeys, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` };
  }

  static async start(): Promise<Radosgw> {
    const folder = await mkdtemp(join(tmpdir(), "radosgw-"));
    const port = await findPorts(portsOfScript);
    const radosgw = new Radosgw(folder, port);
    try {
      await run(script, ["start", folder, String(port)], { timeout: 200_000 });
      await radosgw.#makeBucket();
      return radosgw;
    } catch (error) {
      await radosgw.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await run(script, ["stop", this.#folder]);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** Processor time that all of its processes have taken so far. */
  async cpuSeconds(): Promise<number> {
    const folder = join(this.#folder, "run");
    const files = (await readdir(folder)).filter((name) => name.endsWith(".pid"));
    const ticks = await Promise.all(
      files.map(async (name) => {
        const pid = (await readFile(join(folder, name), "utf8")).trim();
        const stat = await readFile(`/proc/${pid}/stat`, "utf8");
        const [user, system] = stat
          .slice(stat.lastIndexOf(")") + 2)
          .split(" ")
          .slice(11, 13);
        return Number(user) + Number(system);
      }),
    );
    return ticks.reduce((sum, value) => sum + value, 0) / ticksPerSecond;
  }

  async #makeBucket(): Promise<void> {
    const client = new S3Client({
      endpoint: this.environment.AWS_ENDPOINT_URL_S3 ?? "",
      region: testKeys.AWS_REGION,
      forcePathStyle: true,
      credentials: {
        accessKeyId: testKeys.AWS_ACCESS_KEY_ID,
        secretAccessKey: testKeys.AWS_SECRET_ACCESS_KEY,
      },
    });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: this.bucket }));
        return client.destroy();
      } catch (error) {
        if (attempt === 50) throw error;
        await sleep(200);
      }
    }
  }
}
