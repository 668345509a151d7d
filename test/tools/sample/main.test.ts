// Tests the settings of `make sample`, and how the command reports a wrong one.
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { SettingError } from "../../../api-static/contract/environment.ts";
import { main, readSampleSettings } from "../../../tools/sample/main.ts";

describe("the settings of a sample", () => {
  it("have defaults and bounds", () => {
    const threads = Math.min(availableParallelism(), 24);
    const defaults = {
      rows: 200_000,
      seed: 1,
      folder: "data/warehouse",
      memory: "3GB",
      threads,
      spillFolder: "data/warehouse.spill",
    };
    expect(readSampleSettings({})).toEqual(defaults);
    expect(readSampleSettings({ ROWS: "200000000", SEED: "0", OUT: "o" })).toEqual({
      ...defaults,
      ...{ rows: 200_000_000, seed: 0, folder: "o", spillFolder: "o.spill" },
    });
  });

  it.each([
    ["ROWS", "an integer from 1 to 200000000", ["0", "200000001", "1e6", "many"]],
    ["SEED", "an integer from 0 to 2147483647", ["-1", "2147483648", "one"]],
  ])("are refused with the rule of %s", (name, rule, values) => {
    for (const value of values) {
      expect(() => readSampleSettings({ [name]: value })).toThrow(
        new SettingError(`${name} must be ${rule}, got "${value}"`),
      );
    }
  });

  it("are named by the command, which exits with 2", async () => {
    let stderr = "";
    const output = {
      write(text: string) {
        stderr += text;
      },
    };
    expect(await main({ ROWS: "many", OUT: "o" }, { stdout: output, stderr: output })).toBe(2);
    expect(stderr).toBe('sample: ROWS must be an integer from 1 to 200000000, got "many"\n');
  });
});
