// Tests the keys of published objects.
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { objectKey } from "../../../api-static/contract/objects.ts";
import { funderPageKey, parsePageKey, storedEnding } from "../../../api-static/contract/pageKeys.ts";

describe("the key of a published object", () => {
  it("is the page key of a page file, so that a server answers the same URL", () => {
    const key = funderPageKey(formatEin(131_635_294), 100, 0);
    expect(objectKey(key + storedEnding)).toBe(key);
    expect(parsePageKey(objectKey(key + storedEnding))).toBeDefined();
  });

  it("is the path of any other file", () => {
    for (const path of ["index.html", "assets/start-f5vwgowI.js", "openapi.json", "records.csv.gz"])
      expect(objectKey(path)).toBe(path);
  });
});
