// Tests the prefix that pins a release.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitPinned } from "../../../api-static/contract/request.ts";
import { noise } from "./arbitraries.ts";

describe("splitPinned", () => {
  it("splits the prefix off an API path, whatever is in place of the release id", () => {
    const segment = noise.map((text) => text.replaceAll("/", ""));
    fc.assert(
      fc.property(segment, noise, (release, rest) => {
        const path = `/v1/${rest}`;
        expect(splitPinned(`/r/${release}${path}`)).toStrictEqual({ prefix: `/r/${release}`, release, path });
      }),
    );
  });

  it.each(["/", "/funder", "/recipient", "/compare", "/groups"])("splits it off the page %s", (path) => {
    expect(splitPinned(`/r/x${path}`)).toStrictEqual({ prefix: "/r/x", release: "x", path });
  });

  it("does not change any other path", () => {
    for (const path of [
      "/",
      "/v1/history",
      "/r/",
      "/r/x",
      "/r/x/healthz",
      "/r/x/status",
      "/r/x/y/v1/history",
      "/R/x/v1/a",
    ])
      expect(splitPinned(path)).toStrictEqual({ prefix: "", release: undefined, path });
    expect(splitPinned("/r/x/r/y/v1/history").release).toBeUndefined();
    expect(splitPinned("/r/x/v1/r/y/v1/history").path).toBe("/v1/r/y/v1/history");
  });
});
