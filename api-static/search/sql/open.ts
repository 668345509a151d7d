// Chooses what answers searches: the release's own index, DuckDB or ClickHouse.
import { basename } from "node:path";
import { type Environment, readOneOf, readUrls } from "../../contract/environment.ts";
import type { OpenEngine } from "../search.ts";
import { openClickHouse } from "./clickhouse.ts";
import { duckdbEngine } from "./duckdb.ts";

/** The engine, and the servers of ClickHouse. */
export type EngineSettings = {
  readonly engine: "index" | "duckdb" | "clickhouse";
  readonly clickhouse: readonly URL[];
};

/** @throws SettingError if a setting is wrong, or `CLICKHOUSE_URL` is missing */
export function readEngineSettings(environment: Environment): EngineSettings {
  const engine = readOneOf(environment, "SEARCH_ENGINE", ["index", "duckdb", "clickhouse"], "index");
  const isNamed = engine === "clickhouse" || (environment.CLICKHOUSE_URL ?? "") !== "";
  return { engine, clickhouse: isNamed ? readUrls(environment, "CLICKHOUSE_URL") : [] };
}

/** How to open the engine of a release; undefined for its index. @param report receives what failures of ClickHouse were */
export function chooseEngine(
  { engine, clickhouse }: EngineSettings,
  report: (problem: string) => void,
): OpenEngine | undefined {
  if (engine === "index") return undefined;
  if (engine === "duckdb") return async (_, database, records) => duckdbEngine(database, records);
  return (folder) => openClickHouse(clickhouse, basename(folder), report);
}
