// Defines a peer: a system that loads the grants, answers requests and closes.
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";

/** The number of records that match a request's filters, and the ids of its page in result order. */
export type Answer = { readonly total: number; readonly ids: readonly number[] };

/** The accepted grants in result order, with the columns of `acceptedColumns`, and the folder of their release. */
export type Grants = { readonly parquet: string; readonly rows: number; readonly release: string };

export type Peer = {
  /** Name and version, e.g., "PostgreSQL 15.18". */
  readonly version: string;
  /** Reads whole records into JavaScript values, as the API returns them, and takes the ids from them. */
  readonly answer: (request: HistoryRequest) => Promise<Answer>;
  readonly close: () => Promise<void>;
};

export type PeerKind = {
  /** Heading of the column. */
  readonly title: string;
  /** How it stores the grants: order and indexes, as a phrase. */
  readonly arrangement: string;
  /**
   * Loads the grants into the peer's folder for `open`.
   * @throws Unavailable if the system is not installed
   */
  readonly load: (grants: Grants, folder: string) => Promise<void>;
  readonly open: (grants: Grants, folder: string) => Promise<Peer>;
  /** File or folder of the loaded data, indexes included. */
  readonly findData: (grants: Grants, folder: string) => string;
};

/** The system is not installed or does not run; the message says why. */
export class Unavailable extends Error {}
