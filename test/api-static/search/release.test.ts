// Tests that a release is opened without holding up the event loop, and closed completely.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import zlib from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { headerBytes } from "../../../api-static/release/columns.ts";
import { Release } from "../../../api-static/search/release.ts";
import { useRelease } from "../server/release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe("opening a release", () => {
  it("reads its index and compresses its site in the thread pool", async () => {
    const read = vi.spyOn(fs, "readSync");
    const compress = vi.spyOn(zlib, "gzipSync");
    syncBuiltinESMExports();
    const release = await Release.open(served().folder);
    const lengths = read.mock.calls.map((call) => (call as unknown[])[3]);
    expect(release.search.heldBytes).toBeGreaterThan(2 * headerBytes);
    expect(lengths).toEqual([headerBytes, headerBytes, 6]); // the places of both files' columns, and the end of the last line
    expect(compress).not.toHaveBeenCalled();
    release.leave();
    await release.closed;
  });
});

describe("closing a release", () => {
  it("closes its files even if its index cannot be closed, and rejects", async () => {
    const release = await Release.open(served().folder);
    const close = release.search.close.bind(release.search);
    vi.spyOn(release.search, "close").mockImplementation(() => close().then(() => Promise.reject("stuck")));
    release.leave();
    await expect(release.closed).rejects.toBe("stuck");
    expect(() => release.records.readRange(0, 1)).toThrow("EBADF");
  });
});
