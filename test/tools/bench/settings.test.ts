// Tests which settings `make bench` accepts, and that its errors list them.
import { expect, test } from "vitest";
import { formatCommand, readBenchSettings } from "../../../tools/bench/settings.ts";

const known = { parts: ["sync", "search", "pages"], peers: ["duckdb", "sqlite"] };

test("measures all parts and peers at a million rows by default", () => {
  expect(readBenchSettings({ ROWS: "", ONLY: "" }, known)).toMatchObject({
    rows: 1_000_000,
    runs: undefined,
    ...known,
  });
});

test("measures parts in a fixed order, however their names are ordered", () => {
  const settings = readBenchSettings(
    { ROWS: "2000", RUNS: "2", ONLY: "pages, sync", PEERS: "sqlite" },
    known,
  );
  expect(settings).toMatchObject({ rows: 2_000, runs: 2, parts: ["sync", "pages"], peers: ["sqlite"] });
  expect(formatCommand(settings, "pages")).toBe("make bench ROWS=2000 RUNS=2 ONLY=pages");
});

test("can skip the peers", () => {
  const settings = readBenchSettings({ ROWS: "2000", PEERS: "none" }, known);
  expect(settings.peers).toEqual([]);
  expect(formatCommand(settings, "search")).toBe("make bench ROWS=2000 ONLY=search PEERS=none");
});

test.each([
  [{ ROWS: "0" }, 'ROWS must be an integer from 1 to 200000000, got "0"'],
  [{ ROWS: "1e6" }, 'ROWS must be an integer from 1 to 200000000, got "1e6"'],
  [{ RUNS: "-1" }, 'RUNS must be an integer from 1 to 200000000, got "-1"'],
  [{ ONLY: "serach" }, 'ONLY must name some of sync, search, pages, got "serach"'],
  [{ PEERS: "oracle" }, 'PEERS must name some of duckdb, sqlite, got "oracle"'],
])("rejects %j", (environment, message) => {
  expect(() => readBenchSettings(environment, known)).toThrow(message);
});
