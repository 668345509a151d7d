// Runs in a worker thread: sends health checks to a server, one after the other, and posts their milliseconds.
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Client } from "./client.ts";

/** What the thread has from its start. */
export type HealthCheck = { readonly origin: string; readonly milliseconds: number };

/** Milliseconds between two health checks. */
const pause = 20;

const { origin, milliseconds } = workerData as HealthCheck;
const connection = new Client(origin);
const times: number[] = [];
for (const start = performance.now(); performance.now() - start < milliseconds; await sleep(pause))
  times.push(await connection.measureRoundTrip());
connection.close();
parentPort?.postMessage(times);
