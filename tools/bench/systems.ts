// Measures each system with the suite: ours through its server, each peer in a separate process.
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "./client.ts";
import type { Corpus } from "./corpus.ts";
import { type MixResults, measureMix } from "./mix.ts";
import type { OwnCase } from "./ownSuite.ts";
import { peerKinds } from "./peers/names.ts";
import { type Grants, Unavailable } from "./peers/peer.ts";
import { PeerProcess } from "./peers/process.ts";
import { measureRounds, type Rounds, type Timing } from "./rounds.ts";
import { BenchServer } from "./server.ts";
import type { Case } from "./suite.ts";

/** Our p99 needs many samples, the peers' p50 fewer. A peer may take 5 s per request, and slow requests repeat for at most 1 s. */
const ourRounds: Rounds = {
  warm: 3,
  measured: 25,
  limit: Number.POSITIVE_INFINITY,
  budget: Number.POSITIVE_INFINITY,
};
/** For requests that no peer answers. Those that add up all grants are not repeated as often. */
const ownRounds: Rounds = { ...ourRounds, warm: 1, measured: 9, budget: 1_000 };
const peerRounds: Rounds = { warm: 2, measured: 10, limit: 5_000, budget: 1_000 };

const roundTripsMeasured = 1_000;

export const timeLimit = peerRounds.limit;

export type OurResults = {
  /** Milliseconds from the start of the server's process until it has answered a search. */
  readonly firstSearch: number;
  readonly timings: readonly Timing[];
  readonly windows: readonly Timing[];
  /** The requests that only we answer. */
  readonly own: readonly Timing[];
  /** Milliseconds of round trips without work. */
  readonly roundTrips: readonly number[];
  /** Many clients at once. */
  readonly mix: MixResults;
  /** Resident bytes of the server after the suite and at its peak; undefined outside Linux. */
  readonly memory: { readonly now: number; readonly peak: number } | undefined;
};

export type PeerResults = {
  readonly title: string;
  readonly version: string;
  readonly arrangement: string;
  readonly loadSeconds: number;
  /** Bytes on disk, indexes included. */
  readonly bytes: number;
  readonly timings: readonly Timing[];
};

/** A peer that is not installed or failed, and why. */
export type MissingPeer = { readonly title: string; readonly reason: string };

export async function measureOurs(
  corpus: Corpus,
  cases: readonly Case[],
  windows: readonly Case[],
  ownCases: readonly OwnCase[],
): Promise<OurResults> {
  const start = performance.now();
  const server = await BenchServer.start(corpus.data);
  const client = new Client(server.origin);
  try {
    if (cases[0] !== undefined) await client.answer(cases[0].request);
    const firstSearch = performance.now() - start;
    const timings = await measureRounds(cases, (request) => client.answer(request), ourRounds);
    const memory = await server.readMemory();
    const windowTimings = await measureRounds(windows, (request) => client.answer(request), ourRounds);
    const own = await measureRounds(ownCases, (path) => client.read(path), ownRounds);
    const roundTrips: number[] = [];
    for (let count = 0; count < roundTripsMeasured; count++) roundTrips.push(await client.measureRoundTrip());
    const mix = await measureMix(server.origin, cases);
    return { firstSearch, timings, windows: windowTimings, own, roundTrips, mix, memory };
  } finally {
    client.close();
    await server.stop();
  }
}

/** @param folder parent of the peer's folder, which is removed at the end */
export async function measurePeer(
  name: string,
  grants: Grants,
  cases: readonly Case[],
  folder: string,
  print: (line: string) => void,
): Promise<PeerResults | MissingPeer> {
  const kind = peerKinds[name];
  if (kind === undefined) throw new Error(`unknown peer ${name}`);
  const own = join(folder, name);
  await mkdir(own);
  const peer = new PeerProcess(name, own, grants);
  try {
    print(`search: ${kind.title} loads ${grants.rows} grants`);
    const start = performance.now();
    await peer.load();
    const loadSeconds = (performance.now() - start) / 1000;
    const version = await peer.open();
    print(`search: measuring ${version}`);
    const timings = await measureRounds(cases, (request, limit) => peer.answer(request, limit), peerRounds);
    const bytes = await measureBytes(kind.findData(grants, own));
    return { title: kind.title, version, arrangement: kind.arrangement, loadSeconds, bytes, timings };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Unavailable)) process.exitCode = 1; // the results of the others are kept
    print(`search: ${kind.title} is skipped: ${reason}`);
    return { title: kind.title, reason };
  } finally {
    await peer.close();
    await rm(own, { recursive: true, force: true });
  }
}

/** Bytes of a file, or of all files below a folder. */
async function measureBytes(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.size;
  let bytes = 0;
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
