// Owns the measuring of systems by the suite: ours by its server, each peer by a process of its own.
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Corpus } from "./corpus.ts";
import { peerKinds } from "./peers/names.ts";
import { type Grants, Unavailable } from "./peers/peer.ts";
import { PeerProcess } from "./peers/process.ts";
import { measureRounds, type Rounds, type Timing } from "./rounds.ts";
import { BenchServer } from "./server.ts";
import type { Case } from "./suite.ts";

/** Our p99 needs many times, the peers' p50 fewer. A peer may take 10 s for a request; one that is slow is asked for 1 s in all. */
const ourRounds: Rounds = {
  warm: 3,
  measured: 25,
  limit: Number.POSITIVE_INFINITY,
  budget: Number.POSITIVE_INFINITY,
};
const peerRounds: Rounds = { warm: 2, measured: 10, limit: 10_000, budget: 1_000 };

const roundTripsMeasured = 1_000;

export const timeLimit = peerRounds.limit;

export type OurFigures = {
  readonly timings: readonly Timing[];
  readonly windows: readonly Timing[];
  /** Milliseconds of requests that ask nothing. */
  readonly roundTrips: readonly number[];
  /** Resident bytes of the server after the suite, and at most so far; undefined where the system does not tell. */
  readonly memory: { readonly now: number; readonly peak: number } | undefined;
};

export type PeerFigures = {
  readonly title: string;
  readonly version: string;
  readonly arrangement: string;
  readonly loadSeconds: number;
  /** Bytes on disk of what was loaded, indexes included. */
  readonly bytes: number;
  readonly timings: readonly Timing[];
};

/** A peer that is not to be had here, or failed, and why. */
export type MissingPeer = { readonly title: string; readonly reason: string };

export async function measureOurs(
  corpus: Corpus,
  cases: readonly Case[],
  windows: readonly Case[],
): Promise<OurFigures> {
  const server = await BenchServer.start(corpus.data);
  try {
    const timings = await measureRounds(cases, (request) => server.answer(request), ourRounds);
    const memory = await server.readMemory();
    const windowTimings = await measureRounds(windows, (request) => server.answer(request), ourRounds);
    const roundTrips: number[] = [];
    for (let count = 0; count < roundTripsMeasured; count++) roundTrips.push(await server.measureRoundTrip());
    return { timings, windows: windowTimings, roundTrips, memory };
  } finally {
    await server.stop();
  }
}

/** @param folder that receives the peer's folder, which is removed at the end */
export async function measurePeer(
  name: string,
  grants: Grants,
  cases: readonly Case[],
  folder: string,
  tell: (line: string) => void,
): Promise<PeerFigures | MissingPeer> {
  const kind = peerKinds[name];
  if (kind === undefined) throw new Error(`there is no peer ${name}`);
  const own = join(folder, name);
  await mkdir(own);
  const peer = new PeerProcess(name, own, grants);
  try {
    tell(`search: ${kind.title} takes ${grants.rows} grants`);
    const start = performance.now();
    await peer.load();
    const loadSeconds = (performance.now() - start) / 1000;
    const version = await peer.open();
    tell(`search: ${version} is asked`);
    const timings = await measureRounds(cases, (request, limit) => peer.answer(request, limit), peerRounds);
    const bytes = await measureBytes(kind.findData(grants, own));
    return { title: kind.title, version, arrangement: kind.arrangement, loadSeconds, bytes, timings };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!(error instanceof Unavailable)) process.exitCode = 1; // the others' hours of work are not lost
    tell(`search: ${kind.title} is left out: ${reason}`);
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
