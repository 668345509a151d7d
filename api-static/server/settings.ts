// Owns the settings of the server: read from the environment, where `make` puts them, and checked once.

import proxyAddress from "proxy-addr";
import { type Environment, readInteger, readOneOf, readText, SettingError } from "../contract/environment.ts";
import type { SearchBounds } from "../search/queue.ts";
import type { ExportBounds } from "./answers/export.ts";
import type { ClientSettings } from "./http/clients.ts";
import { type LogLevel, logLevels } from "./observe/log.ts";

export type ServerSettings = {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Processes that serve; 1 is this one alone. */
  readonly workers: number;
  /** Most connections at once. */
  readonly connections: number;
  readonly searches: SearchBounds;
  readonly clients: ClientSettings;
  /** Bytes of page files that stay in memory at most. */
  readonly pageFileBytes: number;
  /** Most pinned releases that are held open between requests. */
  readonly pinned: number;
  readonly exports: ExportBounds;
  /** Hours after its sync during which a release is fresh enough for /readyz. */
  readonly readyHours: number;
  readonly logLevel: LogLevel;
  /** True when the log names clients' addresses. */
  readonly isClientLogged: boolean;
  /** True when searches are logged, so that syncs learn which to make page files for. */
  readonly isSearchLogged: boolean;
};

/** Threads of Node.js for files and packing where nothing else is set; a search that runs takes one of them. */
const threadsDefault = 4;

/** @throws SettingError that names the setting, its rule and its value */
export function readServerSettings(environment: Environment): ServerSettings {
  const threads = readInteger(environment, "UV_THREADPOOL_SIZE", threadsDefault, 4, 1024);
  return {
    data: readText(environment, "DATA", "data"),
    host: readText(environment, "HOST", "127.0.0.1"),
    port: readInteger(environment, "PORT", 8080, 0, 65_535),
    workers: readInteger(environment, "WORKERS", 1, 1, 128),
    connections: readInteger(environment, "CONNECTIONS", 1_000, 1, 100_000),
    searches: {
      running: readInteger(environment, "SEARCHES", 2, 1, threads - 2),
      waiting: readInteger(environment, "SEARCHES_WAITING", 64, 0, 10_000),
      seconds: readInteger(environment, "SEARCH_SECONDS", 5, 1, 600),
    },
    clients: {
      searchesPerMinute: readInteger(environment, "SEARCH_RATE", 0, 0, 1_000_000),
      trustedProxies: readProxies(environment),
    },
    pageFileBytes: readInteger(environment, "PAGE_MEMORY_MB", 64, 0, 100_000) * 1024 * 1024,
    pinned: readInteger(environment, "PINNED", 4, 1, 100),
    exports: {
      running: readInteger(environment, "EXPORTS", 16, 1, 1_000),
      seconds: readInteger(environment, "EXPORT_SECONDS", 60, 1, 3_600),
    },
    readyHours: readInteger(environment, "READY_HOURS", 36, 1, 87_600),
    logLevel: readOneOf(environment, "LOG_LEVEL", logLevels, "info"),
    isClientLogged: readOneOf(environment, "LOG_CLIENTS", ["0", "1"], "0") === "1",
    isSearchLogged: readOneOf(environment, "SEARCH_LOG", ["0", "1"], "1") === "1",
  };
}

function readProxies(environment: Environment): string[] {
  const text = readText(environment, "TRUSTED_PROXIES", "");
  const proxies = text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  try {
    proxyAddress.compile(proxies);
    return proxies;
  } catch (error) {
    const rule = "addresses or subnets such as 10.0.0.7, 10.0.0.0/8 or loopback, with commas between them";
    throw new SettingError(`TRUSTED_PROXIES must be ${rule}, got "${text}"`, { cause: error });
  }
}
