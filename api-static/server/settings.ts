// Reads the server's settings from the environment and checks them.

import proxyAddress from "proxy-addr";
import {
  type Environment,
  readInteger,
  readOneOf,
  readText,
  readUrl,
  SettingError,
} from "../contract/environment.ts";
import { readSyncMinutes, readSyncScheduled } from "../contract/schedule.ts";
import type { SearchBounds } from "../search/queue.ts";
import { type EngineSettings, readEngineSettings } from "../search/sql/open.ts";
import type { ExportBounds } from "./answers/export.ts";
import type { ClientSettings } from "./http/clients.ts";
import { type LogLevel, logLevels } from "./observe/log.ts";

export type ServerSettings = {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Where the metrics are served. */
  readonly metricsAddress: { readonly host: string; readonly port: number };
  /** Processes that serve; 1 is this process alone. */
  readonly workers: number;
  /** Open connections, at most. */
  readonly connections: number;
  readonly searches: SearchBounds;
  readonly engine: EngineSettings;
  readonly clients: ClientSettings;
  /** Bytes of memory for open releases. */
  readonly releaseBytes: number;
  /** Bytes of memory for replies from page files. */
  readonly preparedBytes: number;
  readonly exports: ExportBounds;
  readonly logLevel: LogLevel;
  /** True if the log has clients' addresses. */
  readonly isClientLogged: boolean;
  /** True if searches are logged, so that syncs can precompute frequent ones. */
  readonly isSearchLogged: boolean;
  /** True if a sync starts every night; pages then show the next one. */
  readonly isSyncScheduled: boolean;
  /** When it starts, in minutes after midnight UTC. */
  readonly syncMinutes: number;
  /** Where people reach the site, without a slash at the end; "" if it is not set. */
  readonly siteUrl: string;
  /** Names of hosts that agents' requests may be for: those of this machine, of the site, and further ones. */
  readonly mcpHosts: readonly string[];
};

/** Searches per minute and client: more than one connection over the Internet can send. */
const defaultSearchRate = 6_000;

/** The settings of the server. @throws SettingError with the setting, its rule and its value */
export function readServerSettings(environment: Environment): ServerSettings {
  const searchesPerMinute = readInteger(environment, "SEARCH_RATE", defaultSearchRate, 0, 1_000_000);
  const host = readText(environment, "HOST", "127.0.0.1");
  const siteUrl = readOrigin(environment);
  return {
    data: readText(environment, "DATA", "data"),
    host,
    port: readInteger(environment, "PORT", 8080, 0, 65_535),
    metricsAddress: {
      host: readText(environment, "METRICS_HOST", "127.0.0.1"),
      port: readInteger(environment, "METRICS_PORT", 9464, 0, 65_535),
    },
    workers: readInteger(environment, "WORKERS", 1, 1, 128),
    connections: readInteger(environment, "CONNECTIONS", 1_000, 1, 100_000),
    searches: {
      running: readInteger(environment, "SEARCHES", 2, 1, 128),
      waiting: readInteger(environment, "SEARCHES_WAITING", 64, 0, 10_000),
      seconds: readInteger(environment, "SEARCH_SECONDS", 5, 1, 600),
    },
    engine: readEngineSettings(environment),
    clients: {
      searchesPerMinute,
      isLoopbackExempt: environment.SEARCH_RATE === undefined,
      trustedProxies: readProxies(environment),
    },
    releaseBytes: readInteger(environment, "RELEASE_MEMORY_MB", 1_536, 600, 100_000) * 1024 * 1024,
    preparedBytes: readInteger(environment, "PAGE_MEMORY_MB", 64, 0, 100_000) * 1024 * 1024,
    exports: {
      running: readInteger(environment, "EXPORTS", 16, 1, 1_000),
      seconds: readInteger(environment, "EXPORT_SECONDS", 60, 1, 3_600),
      minutes: readInteger(environment, "EXPORT_MINUTES", 120, 1, 10_080),
      leastRate: readInteger(environment, "EXPORT_RATE", 32, 0, 1_000_000) * 1024,
    },
    logLevel: readOneOf(environment, "LOG_LEVEL", logLevels, "info"),
    isClientLogged: readOneOf(environment, "LOG_CLIENTS", ["0", "1"], "0") === "1",
    isSearchLogged: readOneOf(environment, "SEARCH_LOG", ["0", "1"], "1") === "1",
    isSyncScheduled: readSyncScheduled(environment),
    syncMinutes: readSyncMinutes(environment),
    siteUrl,
    mcpHosts: [...readHosts(environment), ...hostOf(siteUrl), ...hostOf(`http://${host}`), ...localHosts],
  };
}

const localHosts = ["localhost", "127.0.0.1", "[::1]"];

/** The host of an origin, as a list; empty if it has none. An IPv6 address in `HOST` has no brackets. */
function hostOf(origin: string): string[] {
  const { hostname } = URL.parse(origin) ?? {};
  return hostname ? [hostname] : [];
}

function readHosts(environment: Environment): string[] {
  const text = readText(environment, "MCP_HOSTS", "");
  const hosts = text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim().toLowerCase()]));
  if (hosts.every((host) => URL.parse(`http://${host}`)?.hostname === host)) return hosts;
  throw new SettingError(`MCP_HOSTS must be names of hosts, separated by commas, got "${text}"`);
}

function readOrigin(environment: Environment): string {
  const rule = "an origin such as https://grants.example.org";
  const text = readUrl(environment, "SITE_URL", rule, "");
  const [, origin] = /^((?:https?:\/\/[\w.:[\]-]+)?)\/?$/.exec(text) ?? [];
  if (origin !== undefined) return origin;
  throw new SettingError(`SITE_URL must be ${rule}, got "${text}"`);
}

function readProxies(environment: Environment): string[] {
  const text = readText(environment, "TRUSTED_PROXIES", "");
  const proxies = text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  try {
    proxyAddress.compile(proxies);
    return proxies;
  } catch (error) {
    const rule = "addresses or subnets such as 10.0.0.7, 10.0.0.0/8 or loopback, separated by commas";
    throw new SettingError(`TRUSTED_PROXIES must be ${rule}, got "${text}"`, { cause: error });
  }
}
