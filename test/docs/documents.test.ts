// Tests that the documents agree with the code: settings and commands.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../api-static/contract/environment.ts";
import { readServerSettings } from "../../api-static/server/settings.ts";
import { readPublishSettings, readPullSettings } from "../../pipeline/delivery/settings.ts";
import { gateRules } from "../../pipeline/releases/gate.ts";
import { readNotifySettings } from "../../pipeline/report/notify.ts";
import * as pipeline from "../../pipeline/settings.ts";
import { peerNames } from "../../tools/bench/peers/names.ts";
import { readBenchSettings } from "../../tools/bench/settings.ts";
import { readFollowSettings } from "../../tools/follow/main.ts";
import { readSampleSettings } from "../../tools/sample/main.ts";
import { documents, findCode, findSection, readDocument, repository } from "./markdown.fixture.ts";

const benchParts = ["sync", "followers", "matches", "search", "places", "names", "load", "irs", "publish"];

const someSecret = `whsec_${Buffer.alloc(24).toString("base64")}`;

type Reader = (environment: Environment) => unknown;

/** The functions that read the settings of commands. The commands on releases read theirs from a data folder, too. */
const commands: Readonly<Record<string, Reader>> = {
  sync: (environment) => [
    pipeline.readSyncSettings(environment),
    readNotifySettings(
      withDefaults(environment, { NOTIFY: "https://example.org", NOTIFY_SECRET: someSecret }),
    ),
  ],
  publish: (environment) =>
    (["TO", "PUBLISH"] as const).map((name) => readPublishSettings(addNeeded(environment), name)),
  pull: (environment) => readPullSettings(addNeeded(environment)),
  follow: (environment) =>
    readFollowSettings(withDefaults(environment, { FROM: "https://grants.example.org" })),
  serve: (environment) =>
    readServerSettings(withDefaults(environment, { CLICKHOUSE_URL: "http://127.0.0.1:8123" })),
  warehouse: pipeline.readImportSettings,
  organizations: pipeline.readImportSettings,
  sample: readSampleSettings,
  bench: (environment) => readBenchSettings(environment, { parts: benchParts, peers: peerNames }),
};

/** An environment with the settings that a publish or a pull may need. */
function addNeeded(given: Environment): Environment {
  const needed: Environment = {
    ...{ TO: "s3://bucket", PUBLISH: "s3://bucket", FROM: "s3://bucket", PURGE_URL: "https://example.org" },
    ...{ CLOUDFLARE_ZONE: "zone", CLOUDFLARE_API_TOKEN: "token", CLOUDFRONT_DISTRIBUTION: "E1" },
  };
  return withDefaults(given, needed);
}

function withDefaults(given: Environment, needed: Environment): Environment {
  return new Proxy({}, { get: (_, name: string) => given[name] ?? needed[name] });
}

/** The commands of each section of docs/settings.md. */
const sections: Readonly<Record<string, readonly string[]>> = {
  Sync: ["sync"],
  "Quality gate": ["sync"],
  "Publish and pull": ["publish", "pull"],
  Follow: ["follow"],
  Server: ["serve"],
  Import: ["warehouse", "organizations"],
  Sample: ["sample"],
  Benchmark: ["bench"],
};

/** A setting of a section, or of one of the commands that share it. */
type SettingRow = { section: string; name: string; standard: string; value: string };

const settings = readDocument("docs/settings.md");

/** The entries of a section, such as "- `KEEP` (`3`; 1 to 1000): meaning". */
function findEntries(section: string): (SettingRow & { meaning: string })[] {
  const found = findSection(settings, section).matchAll(/^- `(\w+)` \((.+?); (.+?)\): (.+)$/gm);
  return [...found].map(([, name = "", standard = "", value = "", meaning = ""]) => ({
    section,
    name,
    standard,
    value,
    meaning,
  }));
}

function rowsOf(section: string): SettingRow[] {
  return findEntries(section).map(({ meaning: _, ...row }) => row);
}

/** The settings of several commands: one for each of the commands that end the entry. */
const shared: readonly SettingRow[] = findEntries("Settings of several commands").flatMap(
  ({ name, standard, value, meaning }) =>
    listed(/(?<=; )[^;]+$/.exec(meaning)?.[0] ?? "").map((section) => ({ section, name, standard, value })),
);

const rows = [
  ...Object.keys(sections).flatMap(rowsOf),
  ...shared.filter(({ section }) => section in commands),
];

/** Reads the settings of a section or a command. */
function read(section: string, environment: Environment): unknown {
  return (sections[section] ?? [section]).map((command) => commands[command]?.(environment));
}

/** Names that a function reads from an environment. */
function namesRead(read: (environment: Environment) => unknown): string[] {
  const names = new Set<string>();
  const get = (_: object, name: string) => void names.add(name);
  read(new Proxy({}, { get }) as Environment);
  return [...names].sort();
}

describe("docs/settings.md", () => {
  it.each([
    [["Sync", "Quality gate"]],
    [["Publish and pull"]],
    [["Follow"]],
    [["Server"]],
    [["Import"]],
    [["Sample"]],
    [["Benchmark"]],
  ])("lists every setting of %s that the code reads, and no other", (names) => {
    const own = names.flatMap(rowsOf).map(({ name }) => name);
    const ofCommands = sections[names[0] ?? ""] ?? [];
    const unread = new Set(own);
    for (const command of ofCommands) {
      const sharedNames = shared.filter(({ section }) => section === command).map(({ name }) => name);
      for (const name of namesRead((environment) => read(command, environment))) {
        expect([...own, ...sharedNames], command).toContain(name);
        unread.delete(name);
      }
    }
    expect([...unread]).toEqual([]);
  });

  it.each(shared.filter(({ section }) => section in commands))(
    "names the commands that read a setting of several: $section reads $name",
    ({ section, name }) => {
      expect(namesRead((environment) => read(section, environment))).toContain(name);
    },
  );

  it("lists every setting of commands on releases", async () => {
    const data = mkdtempSync(join(tmpdir(), "documents-"));
    const id = "20261120T040000Z";
    mkdirSync(join(data, "releases", id), { recursive: true });
    const names = new Set<string>();
    const given = { DATA: data, RELEASE: id, TO: id, CLICKHOUSE_URL: "http://127.0.0.1:8123" };
    const environment = new Proxy(given as Record<string, string>, {
      get: (known, name: string) => {
        names.add(name);
        return known[name];
      },
    });
    const { readVerifySettings, readReportSettings, readMatchSettings, readRollbackSettings } = pipeline;
    await readVerifySettings(environment);
    await readReportSettings(environment);
    await readMatchSettings(environment);
    await readRollbackSettings(environment);
    await pipeline.readLoadSettings(withDefaults({ TO: "clickhouse" }, environment));
    rmSync(data, { recursive: true });
    const sharedRows = shared.filter(({ section }) => ["verify", "rollback", "load"].includes(section));
    const documented = new Set([...rowsOf("Releases"), ...sharedRows].map(({ name }) => name));
    expect([...documented].sort()).toEqual([...names].sort());
  });

  it("covers every setting: no other code reads the environment by name", () => {
    const sources = globSync("{api-static,pipeline}/**/*.ts", { cwd: repository });
    expect(sources.length).toBeGreaterThan(50);
    for (const path of sources) {
      const named = readFileSync(join(repository, path), "utf8").match(/process\.env(\.\w+|\[)/g);
      expect(named, path).toBeNull();
    }
  });

  it.each(rows.filter(({ standard }) => standard.startsWith("`")))(
    "gives the default of $name ($section): $standard",
    ({ section, name, standard }) => {
      expect(read(section, { [name]: standard.replaceAll("`", "") })).toEqual(read(section, {}));
    },
  );

  it("describes each other default", () => {
    const others = rows.filter(({ standard }) => !standard.startsWith("`")).map(({ name }) => name);
    expect([...new Set(others)]).toEqual([
      "ORGANIZATIONS",
      "OBJECTIONS",
      "NOTIFY",
      "NOTIFY_SECRET",
      "ACCEPT",
      "TO",
      "PUBLISH",
      "FROM",
      "AWS_ENDPOINT_URL_S3",
      "AWS_REGION",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      "PURGE_URL",
      "CLOUDFLARE_ZONE",
      "CLOUDFLARE_API_TOKEN",
      "CLOUDFRONT_DISTRIBUTION",
      "CLICKHOUSE_URL",
      "SEARCH_RATE",
      "TRUSTED_PROXIES",
      "SITE_URL",
      "MCP_HOSTS",
      "THREADS",
      "RUNS",
      "ONLY",
      "PEERS",
      "BENCH_FOLDER",
    ]);
  });

  it.each(rows)("gives the values that $name ($section) accepts: $value", ({ section, name, value }) => {
    const readText = (text: string) => read(section, { [name]: text });
    const { accepted, refused } = examplesOf(value);
    for (const text of accepted) expect(() => readText(text), text).not.toThrow();
    for (const text of refused) expect(() => readText(text), text).toThrow(name);
  });

  it("names every part and peer of the benchmark", () => {
    const valuesOf = (name: string) =>
      listed(rowsOf("Benchmark").find((row) => row.name === name)?.value ?? "");
    expect(valuesOf("ONLY")).toEqual(benchParts);
    for (const part of benchParts)
      expect(existsSync(join(repository, `tools/bench/${part}.ts`)), part).toBe(true);
    expect(valuesOf("PEERS").sort()).toEqual([...peerNames, "none"].sort());
  });

  it("names every rule of the gate", () => {
    const gate = findSection(settings, "Quality gate");
    for (const rule of gateRules)
      expect(gate).toContain(rule.startsWith("nulls:") ? "`nulls:" : `\`${rule}\``);
  });
});

function listed(value: string): string[] {
  return [...value.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
}

/** Values on both sides of what a cell such as "1 to 128" or "`0`, `1`" promises. */
function examplesOf(value: string): { accepted: string[]; refused: string[] } {
  const [, least, most] = /^(\d+) to (\d+)$/.exec(value) ?? [];
  if (least !== undefined)
    return {
      accepted: [least, String(most)],
      refused: [String(Number(least) - 1), String(Number(most) + 1), " "],
    };
  if (value.startsWith("`")) return { accepted: listed(value), refused: ["no such value"] };
  if (value.startsWith("size")) {
    const megabytes = Number(/at least `(\d+)MB`/.exec(value)?.[1]);
    return { accepted: [`${megabytes}MB`, "2GB"], refused: [`${megabytes - 1}MB`, "1TB", "4"] };
  }
  if (value.startsWith("percent")) return { accepted: ["0", "0.5", "100"], refused: ["-1", "2%", "many"] };
  if (value.startsWith("rule names"))
    return { accepted: ["records,nulls:purpose"], refused: ["no such rule"] };
  if (value.startsWith("addresses"))
    return { accepted: ["loopback,10.0.0.0/8"], refused: ["no such address"] };
  if (value.startsWith("host names"))
    return { accepted: ["a.example,b.example"], refused: ["https://a.example"] };
  if (value.startsWith("time")) return { accepted: ["00:00", "23:59"], refused: ["24:00", "4:00", " "] };
  if (value === "bucket") return { accepted: ["s3://grants/live"], refused: ["", "grants/live"] };
  if (value === "URL") return { accepted: ["http://127.0.0.1:8080/"], refused: ["grants.example.org"] };
  if (value === "webhook") return { accepted: ["https://example.org/hook"], refused: ["example.org"] };
  if (value === "secret") return { accepted: [someSecret], refused: ["whsec_c2hvcnQ="] };
  if (value === "file") return { accepted: ["a.duckdb", "a.parquet"], refused: ["", "grants.csv"] };
  if (value === "origin")
    return { accepted: ["https://grants.example.org/"], refused: ["grants.example.org"] };
  if (value === "EINs")
    return {
      accepted: ["000000000-333333333", "131635294-131635294"],
      refused: ["131635294", "333333334-333333333", "0-333333333", "00-0000000-33-3333333", " "],
    };
  if (value.startsWith("path") || ["address", "text"].includes(value))
    return { accepted: ["somewhere"], refused: [] };
  if (value === "URLs")
    return {
      accepted: ["http://a:8123", "https://u:p@a,http://b:8123/?database=x"],
      refused: ["a:8123"],
    };
  throw new Error(`docs/settings.md: expected a kind of value that this test knows, got "${value}"`);
}

describe("the documents and make help", () => {
  const makefile = readFileSync(join(repository, "Makefile"), "utf8");
  const targets = new Map(
    [...makefile.matchAll(/^([a-z-]+):.*## (.+)$/gm)].map(([, target = "", help = ""]) => [target, help]),
  );

  it("name the same targets", () => {
    expect(targets.size).toBeGreaterThan(10);
    const named = new Set<string>();
    for (const path of documents) {
      const code = findCode(readDocument(path))
        .join("\n")
        .replace(/\s# .*$/gm, ""); // without comments
      for (const [, target = ""] of code.matchAll(/\bmake (?:-C \S+ )?([a-z][a-z-]*)/g)) {
        expect([...targets.keys()], `${path}: make ${target}`).toContain(target);
        named.add(target);
      }
    }
    expect([...named].sort()).toEqual([...targets.keys()].sort());
  });

  it("show every target in one of five groups, in lines of at most 100 characters", () => {
    const { stdout } = spawnSync("make", ["--silent", "help"], { cwd: repository, encoding: "utf8" });
    const lines = stdout.split("\n");
    expect(lines.filter((line) => /^[A-Z]\w+$/.test(line))).toEqual([
      "Start",
      "Night",
      "Deliver",
      "Inspect",
      "Develop",
    ]);
    const shown = lines.flatMap((line) => /^ {2}([a-z-]+) /.exec(line)?.[1] ?? []);
    expect(shown.sort()).toEqual([...targets.keys()].sort());
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  const defaults = [...targets.values()].flatMap((help) =>
    [...help.matchAll(/\b([A-Z_]+)=([^\s()]+)/g)].map(([, name = "", value = ""]) => [name, value] as const),
  );

  // "<release id>", for example, describes a value.
  it.each(defaults.filter(([, value]) => !value.startsWith("<")))(
    "give the same default of %s: %s",
    (name, value) => {
      const all = [...rows, ...rowsOf("Releases")].filter((row) => row.name === name);
      expect(all.map(({ standard }) => standard.replaceAll("`", "").split(",")[0])).toContain(value);
    },
  );
});
