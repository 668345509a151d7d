// Measures many clients at once: the whole suite in random order, and how long the health check waits meanwhile.
import { Worker } from "node:worker_threads";
import { Client } from "./client.ts";
import type { HealthCheck } from "./healthThread.ts";
import { drawNumber } from "./pieces.ts";
import { percentile } from "./statistics.ts";
import type { Case } from "./suite.ts";

const clients = 8;
const seconds = 20;

export type MixResults = {
  readonly clients: number;
  /** Answered searches per second. */
  readonly perSecond: number;
  /** Milliseconds of the searches: median and 99th percentile. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of the health checks: 99th percentile and the longest. */
  readonly healthP99: number;
  readonly healthLongest: number;
};

/** Each client sends requests drawn from the suite, one after the other, without pauses. */
export async function measureMix(origin: string, cases: readonly Case[]): Promise<MixResults> {
  const start = performance.now();
  const isOver = () => performance.now() - start >= seconds * 1000;
  const search = async (client: number) => {
    const connection = new Client(origin);
    const times: number[] = [];
    for (let count = 0; !isOver(); count++) {
      const { request } = cases[drawNumber(`request ${count} of client ${client}`, cases.length)] as Case;
      times.push((await connection.answer(request)).milliseconds);
    }
    connection.close();
    return times;
  };
  const [health, ...searches] = await Promise.all([
    checkHealth(origin),
    ...Array.from({ length: clients }, (_, client) => search(client)),
  ]);
  const times = searches.flat();
  return {
    clients,
    perSecond: (times.length / (performance.now() - start)) * 1000,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    healthP99: percentile(health, 0.99),
    healthLongest: Math.max(...health),
  };
}

/** The milliseconds of health checks in a thread of their own, because parsing the pages of searches holds up this one. */
async function checkHealth(origin: string): Promise<number[]> {
  const workerData: HealthCheck = { origin, milliseconds: seconds * 1000 };
  const worker = new Worker(new URL("./healthThread.ts", import.meta.url), { workerData });
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  worker.once("message", resolve).once("error", reject);
  return promise;
}
