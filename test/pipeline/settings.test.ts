// Tests which values the pipeline's settings accept, and the message for any other value.
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { type Environment, SettingError } from "../../api-static/contract/environment.ts";
import { readLoadSettings, readSyncSettings } from "../../pipeline/settings.ts";

function refusal(read: (environment: Environment) => unknown, environment: Environment): string {
  try {
    read(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    if (error instanceof SettingError) return error.message;
  }
  return "nothing was refused";
}

describe("the settings of a sync", () => {
  it("have defaults", () => {
    const defaults = {
      warehouse: "data/warehouse",
      objections: "",
      data: "data",
      memory: "3GB",
      threads: Math.min(availableParallelism(), 24),
      isForced: false,
      keep: 3,
      searches: { recipients: 100, purposes: 100, learned: 500, smallPages: 5, largePages: 1 },
    };
    expect(readSyncSettings({})).toMatchObject(defaults);
    expect(readSyncSettings({ ACCEPT: "" })).toEqual(readSyncSettings({}));
  });

  it("have no more threads than MEMORY suffices for, unless THREADS says so", () => {
    expect(readSyncSettings({ MEMORY: "500MB" }).threads).toBe(Math.min(availableParallelism(), 4));
    expect(readSyncSettings({ MEMORY: "500MB", THREADS: "9" }).threads).toBe(9);
  });

  it.each(["WAREHOUSE", "DATA", "MEMORY", "THREADS", "FORCE", "KEEP", "MAX_FALL"])(
    "are refused if %s is empty: an empty setting is not the default",
    (name) => {
      for (const blank of ["", " "])
        expect(refusal(readSyncSettings, { [name]: blank })).toMatch(
          new RegExp(`^${name} .*, got "${blank}"$`),
        );
    },
  );

  it("are refused if DuckDB could not read files in DATA", () => {
    for (const data of ["/srv/a\\[b", "a*b\\c", "a\\b?"])
      expect(refusal(readSyncSettings, { DATA: data })).toBe(
        `DATA must not contain both "\\" and one of * ? [, got "${data}"`,
      );
    for (const data of ["/srv/a[b*?", "a\\b"])
      expect(readSyncSettings({ DATA: data })).toMatchObject({ data });
  });

  it("accept the minimum and the maximum", () => {
    const least = { MEMORY: "500MB", THREADS: "1", FORCE: "0", KEEP: "1", WAREHOUSE: " a b", DATA: "x" };
    expect(readSyncSettings(least)).toMatchObject({
      ...{ memory: "500MB", threads: 1, isForced: false, keep: 1, warehouse: " a b", data: "x" },
    });
    const most = { MEMORY: "999999GB", THREADS: "256", FORCE: "1", KEEP: "1000" };
    expect(readSyncSettings(most)).toMatchObject({
      memory: "999999GB",
      threads: 256,
      isForced: true,
      keep: 1000,
    });
    const searches = { SEARCH_RECIPIENTS: "0", SEARCH_PURPOSES: "5000", SEARCH_LEARNED: "0" };
    expect(readSyncSettings({ ...searches, SEARCH_PAGES: "50", SEARCH_LARGE_PAGES: "0" }).searches).toEqual({
      ...{ recipients: 0, purposes: 5000, learned: 0, smallPages: 50, largePages: 0 },
    });
  });

  it.each([
    [
      "MEMORY",
      "a size of at least 500MB such as 800MB or 4GB",
      ["499MB", "0GB", "4 GB", "4gb", "4", "-4GB", "1000000GB"],
    ],
    ["THREADS", "an integer from 1 to 256", ["0", "257", "2.5", "-1", "1e1", "0x2", "two", "٢"]],
    ["FORCE", "an integer from 0 to 1", ["2", "yes", "true"]],
    ["KEEP", "an integer from 1 to 1000", ["0", "1001", "-1", "3 "]],
    ["SEARCH_RECIPIENTS", "an integer from 0 to 5000", ["5001", "-1"]],
    ["SEARCH_PURPOSES", "an integer from 0 to 5000", ["5001"]],
    ["SEARCH_LEARNED", "an integer from 0 to 5000", ["5001"]],
    ["SEARCH_PAGES", "an integer from 0 to 50", ["51"]],
    ["SEARCH_LARGE_PAGES", "an integer from 0 to 5", ["6"]],
  ])("are refused with the rule of %s", (name, rule, values) => {
    for (const value of values) {
      expect(refusal(readSyncSettings, { [name]: value })).toBe(`${name} must be ${rule}, got "${value}"`);
    }
  });
});

describe("the settings of a load", () => {
  const load = { TO: "clickhouse", CLICKHOUSE_URL: "http://127.0.0.1:8123" };

  it.each<[Environment, string]>([
    [{ ...load, TO: "postgres" }, 'TO must be one of clickhouse, got "postgres"'],
    [
      { ...load, CLICKHOUSE_URL: "http://one:8123,two" },
      'CLICKHOUSE_URL must be URLs such as http://127.0.0.1:8123, separated by commas, got "two"',
    ],
    [
      { ...load, CLICKHOUSE_URL: "http://one:8123,http://two:8123" },
      'CLICKHOUSE_CLUSTER must name the cluster of several servers, in letters, digits and _, got ""',
    ],
  ])("are refused with a sentence: %o", async (environment, message) => {
    await expect(readLoadSettings(environment)).rejects.toThrow(new SettingError(message));
  });
});
