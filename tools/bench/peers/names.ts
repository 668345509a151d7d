// Lists the systems that search is compared with.
import { clickhouse } from "./clickhouse.ts";
import { duckdbOnParquet } from "./duckdb.ts";
import type { PeerKind } from "./peer.ts";
import { postgresql } from "./postgres.ts";
import { sqlite } from "./sqlite.ts";

export const peerKinds: Readonly<Record<string, PeerKind>> = {
  duckdb: duckdbOnParquet,
  postgres: postgresql,
  sqlite,
  clickhouse,
};

export const peerNames: readonly string[] = Object.keys(peerKinds);
