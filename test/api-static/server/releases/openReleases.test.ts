// Tests that a release is opened once at a time, and keeps the lock that protects it from being removed.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { SearchQueue } from "../../../../api-static/search/queue.ts";
import { OpenReleases } from "../../../../api-static/server/releases/openReleases.ts";
import { repository, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** True if another process cannot open the index for writing, which is how a sync sees that a release is in use. */
async function isLocked(folder: string): Promise<boolean> {
  const script = `
    import { DuckDBInstance } from "@duckdb/node-api";
    try {
      (await DuckDBInstance.create(process.env.INDEX)).closeSync();
      console.log("free");
    } catch (error) {
      console.log(/could not set lock/i.test(error.message) ? "locked" : error.message);
    }`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: repository,
    env: { ...process.env, INDEX: join(folder, parts.index) },
  });
  expect(stdout).toMatch(/^(free|locked)$/m);
  return stdout.trim() === "locked";
}

describe("a release that is entered again while a query of it still ends", () => {
  it("is opened again only after it is closed, so it keeps its lock", async () => {
    const { folder, release: fixture } = served();
    fixture.leave(); // otherwise it would hold the lock too
    await fixture.closed; // closing it later would drop the lock of the next handle
    const open = new OpenReleases({ queue: new SearchQueue() });
    const first = await open.enter(folder);
    expect(await isLocked(folder)).toBe(true);
    const query = Promise.withResolvers<void>();
    const ended = first.search.sessions.useAtOnce(() => query.promise);
    first.leave();
    const entered = open.enter(folder);
    await Promise.race([entered, setTimeout(300)]); // time in which it must not be opened
    query.resolve();
    await ended;
    const second = await entered;
    expect(second).not.toBe(first);
    expect(await second.search.find({}, 1, 0)).toMatchObject({ total: served().lines.length });
    expect(await isLocked(folder)).toBe(true);
    expect(open.size).toBe(1);
    second.leave();
    await second.closed;
    expect(open.size).toBe(0);
    expect(await isLocked(folder)).toBe(false);
  });
});
