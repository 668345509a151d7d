// Owns what happens when the server fails or is pressed: errors without details, many searches at once, steady ETags.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parts } from "../../../api-static/release/layout.ts";
import { Release } from "../../../api-static/search/release.ts";
import { Oracle } from "../search/oracle.ts";
import { createTestApp, makeRelease, useRelease } from "./release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

/** Puts other content in the place of a page's file (a new file: the old one may be shared with other releases). */
async function withDamagedPage(
  content: (old: string) => Promise<Buffer>,
  work: () => Promise<void>,
): Promise<void> {
  const file = join(served().folder, parts.public, "v1/funders/131635294/history-100-0.json.gz");
  await rename(file, `${file}.away`);
  try {
    await writeFile(file, await content(`${file}.away`));
    await work();
  } finally {
    await rm(file);
    await rename(`${file}.away`, file);
  }
}

async function checkInternal(response: Response): Promise<void> {
  expect(response.status).toBe(500);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  for (const name of ["ETag", "Content-Encoding", "Link"])
    expect(response.headers.get(name), name).toBeNull();
  const text = await response.text();
  expect(JSON.parse(text)).toStrictEqual({
    success: false,
    error: "the service failed; the failure was logged",
    code: "internal",
  });
  expect(response.headers.get("Content-Length")).toBe(String(text.length));
}

describe("a failure inside", () => {
  it("is a 500 without details, logged, when a page's file is no page", async () => {
    const { ask, log } = served();
    await withDamagedPage(
      async () => Buffer.from("not a page at all, but long enough to be looked at"),
      async () => {
        log.length = 0;
        await checkInternal(await ask("/v1/funders/131635294/history"));
        expect(log).toMatchObject([
          { level: "error", status: 500, err: { message: expect.stringContaining("is damaged") } },
        ]);
      },
    );
    expect((await ask("/v1/funders/131635294/history")).status).toBe(200);
  });

  it("is a 500 without the headers of the content when a page cannot be unpacked", async () => {
    const { ask } = served();
    await withDamagedPage(
      async (old) => (await readFile(old)).fill(0xff, 60, 200),
      async () => checkInternal(await ask("/v1/funders/131635294/history")),
    );
  });
});

describe("a hundred searches at once", () => {
  it("are all answered, each with its own records", async () => {
    const { askText, lines, facts } = served();
    const oracle = new Oracle(lines);
    const asked = Array.from({ length: 100 }, (_, index) => ({
      transaction_year: String(2019 + (index % 5)),
      ...(index % 2 === 0 ? { purpose: "support" } : { recipient_name: "istanbul" }),
      ...(index % 3 === 0 ? { funder_ein: facts.big.ein } : {}),
      ...(index % 7 === 0 ? { min_amount: String(index * 100) } : {}),
    }));
    const paths = asked.map(
      (filters, index) => `/v1/history?${new URLSearchParams({ ...filters, offset: String(index) })}`,
    );
    const bodies = await Promise.all(paths.map((path) => askText(path)));
    for (const [index, body] of bodies.entries())
      expect(body, paths[index]).toBe(oracle.body(asked[index] ?? {}, 100, index));
  });
});

describe("a release made again from the same data at another time", () => {
  it("has the same bytes and ETags, so that caches keep what did not change", async () => {
    const { data, warehouse, ask, facts } = served();
    const release = await Release.open(
      await makeRelease(`${data}.later`, warehouse, new Date("2026-11-23T04:00:00Z")),
    );
    const app = createTestApp(release);
    for (const path of [
      `/v1/funders/${facts.big.ein}/history`,
      `/v1/funders/${facts.small.ein}/history?limit=1000`,
      `/v1/funders/${facts.big.ein}/history?limit=7&offset=9`,
      "/v1/history?purpose=support&limit=50",
      "/v1/history",
    ]) {
      const [before, after] = [await ask(path), await app.fetch(new Request(`http://127.0.0.1${path}`))];
      expect(after.headers.get("ETag"), path).toBe(before.headers.get("ETag"));
      expect(await after.text(), path).toBe(await before.text());
      expect(after.headers.get("X-Release")).toBe("20261123T040000Z");
      expect(before.headers.get("X-Release")).toBe("20261120T040000Z");
    }
    release.leave();
    await rm(`${data}.later`, { recursive: true });
  });
});
