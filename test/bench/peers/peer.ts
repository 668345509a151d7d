// Owns what a system must do to be compared with: take the grants, answer a request, close.
import type { HistoryRequest } from "../../../api-static/contract/request.ts";

/** The total of the records that meet a request's filters, and the ids of its page in result order. */
export type Answer = { readonly total: number; readonly ids: readonly number[] };

/** The accepted grants, in result order; `acceptedColumns` tells what each row has. */
export type Grants = { readonly parquet: string; readonly rows: number };

export type Peer = {
  /** What is compared, e.g., "PostgreSQL 15.18". */
  readonly version: string;
  /** Reads whole records, as the API sends them, into values of JavaScript; the ids are taken from them. */
  readonly answer: (request: HistoryRequest) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

export type PeerKind = {
  /** Heading of its column. */
  readonly title: string;
  /** What was done for it, in a sentence without its end: its order, its indexes. */
  readonly arrangement: string;
  /**
   * Takes the grants into a folder of its own, so that `open` finds them there.
   * @throws Unavailable where the system is not to be had on this machine
   */
  readonly load: (grants: Grants, folder: string) => Promise<void>;
  readonly open: (grants: Grants, folder: string) => Promise<Peer>;
  /** File or folder of what was loaded, indexes included. */
  readonly findData: (grants: Grants, folder: string) => string;
};

/** A system is not to be had on this machine; the message says why. */
export class Unavailable extends Error {}
