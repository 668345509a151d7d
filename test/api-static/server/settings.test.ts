// Tests the server's settings: defaults, bounds, and errors that name the setting, its rule and its value.
import { describe, expect, it } from "vitest";
import { readServerSettings } from "../../../api-static/server/settings.ts";

describe("readServerSettings", () => {
  it("has a default for every setting", () => {
    expect(readServerSettings({})).toStrictEqual({
      data: "data",
      host: "127.0.0.1",
      port: 8080,
      metricsAddress: { host: "127.0.0.1", port: 9464 },
      workers: 1,
      connections: 1_000,
      engine: { engine: "index", clickhouse: [] },
      searches: { running: 2, waiting: 64, seconds: 5 },
      clients: { searchesPerMinute: 6_000, isLoopbackExempt: true, trustedProxies: [] },
      releaseBytes: 1_536 * 1024 * 1024,
      preparedBytes: 64 * 1024 * 1024,
      exports: { running: 16, seconds: 60, minutes: 120, leastRate: 32_768 },
      logLevel: "info",
      isClientLogged: false,
      isSearchLogged: true,
      isSyncScheduled: false,
      syncMinutes: 240,
      siteUrl: "",
      mcpHosts: ["127.0.0.1", "localhost", "127.0.0.1", "[::1]"],
    });
  });

  it("reads each setting", () => {
    const environment = {
      DATA: "/srv/grants",
      HOST: "::1",
      PORT: "0",
      METRICS_HOST: "0.0.0.0",
      METRICS_PORT: "0",
      WORKERS: "1",
      CONNECTIONS: "50",
      SEARCHES: "6",
      SEARCHES_WAITING: "0",
      SEARCH_SECONDS: "600",
      SEARCH_ENGINE: "clickhouse",
      CLICKHOUSE_URL: "http://a:8123, https://b/?database=grants",
      SEARCH_RATE: "60",
      TRUSTED_PROXIES: "loopback, 10.0.0.0/8,::1,",
      RELEASE_MEMORY_MB: "600",
      PAGE_MEMORY_MB: "0",
      EXPORTS: "1",
      EXPORT_SECONDS: "3600",
      EXPORT_MINUTES: "240",
      EXPORT_RATE: "1",
      LOG_LEVEL: "warn",
      LOG_CLIENTS: "1",
      SEARCH_LOG: "0",
      SYNC_SCHEDULED: "1",
      SITE_URL: "https://grants.example.org/",
      SYNC_AT: "23:45",
      MCP_HOSTS: "Agents.example.org, [::2],",
    };
    expect(readServerSettings(environment)).toStrictEqual({
      data: "/srv/grants",
      host: "::1",
      port: 0,
      metricsAddress: { host: "0.0.0.0", port: 0 },
      workers: 1,
      connections: 50,
      engine: {
        engine: "clickhouse",
        clickhouse: [new URL("http://a:8123"), new URL("https://b/?database=grants")],
      },
      searches: { running: 6, waiting: 0, seconds: 600 },
      clients: {
        searchesPerMinute: 60,
        isLoopbackExempt: false,
        trustedProxies: ["loopback", "10.0.0.0/8", "::1"],
      },
      releaseBytes: 600 * 1024 * 1024,
      preparedBytes: 0,
      exports: { running: 1, seconds: 3_600, minutes: 240, leastRate: 1_024 },
      logLevel: "warn",
      isClientLogged: true,
      isSearchLogged: false,
      isSyncScheduled: true,
      syncMinutes: 1_425,
      siteUrl: "https://grants.example.org",
      mcpHosts: [
        ...["agents.example.org", "[::2]", "grants.example.org"],
        ...["localhost", "127.0.0.1", "[::1]"],
      ],
    });
  });

  it("exempts clients on the same machine only without SEARCH_RATE, whatever it is", () => {
    const isExempt = (environment: Record<string, string>) =>
      readServerSettings(environment).clients.isLoopbackExempt;
    expect([{}, { SEARCH_RATE: "6000" }, { SEARCH_RATE: "1200" }].map(isExempt)).toStrictEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ["PORT", "abc", "an integer from 0 to 65535"],
    ["PORT", "-1", "an integer from 0 to 65535"],
    ["PORT", "80.5", "an integer from 0 to 65535"],
    ["PORT", "65536", "an integer from 0 to 65535"],
    ["PORT", "", "an integer from 0 to 65535"],
    ["CONNECTIONS", "0", "an integer from 1 to 100000"],
    ["SEARCHES", "0", "an integer from 1 to 128"],
    ["SEARCHES", "129", "an integer from 1 to 128"],
    ["RELEASE_MEMORY_MB", "599", "an integer from 600 to 100000"],
    ["SEARCHES_WAITING", "10001", "an integer from 0 to 10000"],
    ["SEARCH_SECONDS", "0", "an integer from 1 to 600"],
    ["SEARCH_ENGINE", "sqlite", "one of index, duckdb, clickhouse"],
    ["CLICKHOUSE_URL", "a:8123", "URLs such as http://127.0.0.1:8123, separated by commas"],
    ["EXPORT_MINUTES", "0", "an integer from 1 to 10080"],
    ["EXPORT_MINUTES", "10081", "an integer from 1 to 10080"],
    ["SEARCH_RATE", "-1", "an integer from 0 to 1000000"],
    [
      "TRUSTED_PROXIES",
      "nginx",
      "addresses or subnets such as 10.0.0.7, 10.0.0.0/8 or loopback, separated by commas",
    ],
    ["EXPORTS", "0", "an integer from 1 to 1000"],
    ["EXPORT_SECONDS", "3601", "an integer from 1 to 3600"],
    ["METRICS_PORT", "65536", "an integer from 0 to 65535"],
    ["LOG_LEVEL", "loud", "one of error, warn, info, debug, silent"],
    ["LOG_CLIENTS", "yes", "one of 0, 1"],
    ["SEARCH_LOG", "2", "one of 0, 1"],
    ["SYNC_SCHEDULED", "nightly", "one of 0, 1"],
    ["MCP_HOSTS", "https://grants.example.org", "names of hosts, separated by commas"],
    ["MCP_HOSTS", "grants.example.org:8080", "names of hosts, separated by commas"],
    ["SITE_URL", "grants.example.org", "an origin such as https://grants.example.org"],
    ["SITE_URL", "https://grants.example.org/site", "an origin such as https://grants.example.org"],
    ["SITE_URL", 'https://x"><script>', "an origin such as https://grants.example.org"],
  ])("refuses %s=%j with its rule", (name, value, rule) => {
    expect(() => readServerSettings({ [name]: value })).toThrow(`${name} must be ${rule}, got "${value}"`);
  });

  it.each(["DATA", "HOST", "METRICS_HOST"])(
    "refuses an empty %s: the server must not listen everywhere",
    (name) => {
      expect(() => readServerSettings({ [name]: "" })).toThrow(`${name} must not be empty`);
    },
  );
});
