// Measures many clients at once: the whole suite in random order, and how long the health check waits meanwhile.
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "./client.ts";
import { drawNumber } from "./pieces.ts";
import { percentile } from "./statistics.ts";
import type { Case } from "./suite.ts";

const clients = 8;
const seconds = 20;

/** Milliseconds between two health checks. */
const pause = 20;

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
  const check = async () => {
    const connection = new Client(origin);
    const times: number[] = [];
    for (; !isOver(); await sleep(pause)) times.push(await connection.measureRoundTrip());
    connection.close();
    return times;
  };
  const [health, ...searches] = await Promise.all([
    check(),
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
