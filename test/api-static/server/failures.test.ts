// Tests what happens when the server fails or is under load: damaged page files, errors without details, many searches at once,
// the same bytes from a release that is built again.
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Ein } from "../../../api-static/contract/ein.ts";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { pageKey as keyOf } from "../../../api-static/contract/operations/searches.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { PageFiles } from "../../../api-static/release/pageFileFormat.ts";
import { Release } from "../../../api-static/search/release.ts";
import { ServerMetrics } from "../../../api-static/server/observe/metrics.ts";
import { idleQueues } from "../search/client.fixture.ts";
import { Oracle } from "../search/oracle.ts";
import { createTestApp, fixedNow, makeRelease, useRelease } from "./release.fixture.ts";

const served = useRelease({ sampleRows: 1_000 });

const funderPage = pageKey({ scope: "funder", filters: { funderEin: "131635294" as Ein } });
const searchPage = pageKey({ scope: "search", filters: { transactionYear: 2021 } });

function pageKey(request: Pick<HistoryRequest, "scope" | "filters">): string {
  const key = keyOf({ kind: "history", ...request, limit: 100, offset: 0 });
  if (key === undefined) throw new Error("such a page has a file");
  return key;
}

/** Replaces a page's file by what `damage` makes of it, while `work` runs. */
async function withDamagedPage(
  key: string,
  damage: (file: string, content: Buffer) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<void> {
  const file = join(served().folder, parts.public, `${key}.gz`);
  await rename(file, `${file}.away`);
  try {
    await damage(file, await readFile(`${file}.away`));
    await work();
  } finally {
    await rm(file, { recursive: true, force: true });
    await rename(`${file}.away`, file);
  }
}

const damages: Record<string, (file: string, content: Buffer) => Promise<unknown>> = {
  "is not a page": (file) => writeFile(file, "not a page at all, but as long as the header"),
  "is empty": (file) => writeFile(file, ""),
  "has a damaged header": (file, content) => writeFile(file, content.fill(0, 0, 3)),
  "is a folder": (file) => mkdir(file),
  "cannot be opened": (file) => symlink(file, file),
};

const contentDamages: typeof damages = {
  "cannot be unpacked": (file, content) => writeFile(file, content.fill(0xff, 60, 200)),
  "ends early": (file, content) => writeFile(file, content.subarray(0, 200)),
  "has another digest in its header": (file, content) => writeFile(file, content.fill(0xab, 20, 30)),
};

describe("a damaged page file", () => {
  const gzip = { "Accept-Encoding": "gzip" };

  /** A separate service on the release, with its log and its metrics. */
  function start() {
    const { release } = served();
    const logged: Record<string, unknown>[] = [];
    const metrics = new ServerMetrics({ current: release }, idleQueues(), () => fixedNow);
    const app = createTestApp(release, (line) => logged.push(JSON.parse(line)), { metrics });
    const ask = async (path: string, headers = {}) =>
      app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));
    const errors = () => logged.filter(({ level }) => level === "error");
    const counted = async () =>
      Number(/^grants_server_damaged_pages_total (\d+)$/m.exec(await metrics.format())?.[1]);
    return { ask, errors, counted };
  }

  const cases = [
    ["/v1/funders/131635294/history", funderPage],
    ["/v1/history?transaction_year=2021", searchPage],
  ].flatMap(([path = "", key = ""]) =>
    Object.entries({ ...damages, ...contentDamages }).map(([what, damage]) => ({ path, key, what, damage })),
  );

  it.each(cases)("that $what is a 500, counted and logged: $path", async ({ path, key, what, damage }) => {
    const { ask, errors, counted } = start();
    const whole = await (await ask(path)).text();
    await withDamagedPage(key, damage, async () => {
      expect((await ask(path)).status).toBe(500);
      expect(await counted()).toBe(1);
      if (what in damages) expect((await ask(path, gzip)).status).toBe(500);
    });
    expect(errors()[0]).toMatchObject({ message: "failed", code: "internal", err: { type: "DamagedPage" } });
    expect(await (await ask(path)).text()).toBe(whole); // once it is repaired
  });

  it("that is missing is answered from the records, with the same bytes", async () => {
    const { ask } = start();
    const whole = await (await ask("/v1/funders/131635294/history")).text();
    await withDamagedPage(
      funderPage,
      async () => undefined,
      async () => {
        const response = await ask("/v1/funders/131635294/history");
        expect(response.headers.get("Server-Timing")).toMatch(/^slice;/);
        expect(await response.text()).toBe(whole);
      },
    );
  });
});

describe("an internal failure", () => {
  it("is a 500 without details or headers of the content, and is logged", async () => {
    const { release } = served();
    const logged: Record<string, unknown>[] = [];
    const app = createTestApp(release, (line) => logged.push(JSON.parse(line)));
    const broken = vi.spyOn(PageFiles.prototype, "read").mockImplementation(() => {
      throw new Error("an internal detail");
    });
    const response = await app.request("/v1/funders/131635294/history");
    broken.mockRestore();
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
    expect(logged).toMatchObject([{ level: "error", status: 500, err: { message: "an internal detail" } }]);
  });
});

describe("a hundred searches at once", () => {
  it("are all answered, each with its own records", async () => {
    const { askText, lines, facts } = served();
    const oracle = new Oracle(lines);
    const requests = Array.from({ length: 100 }, (_, index) => ({
      transaction_year: String(2019 + (index % 5)),
      ...(index % 2 === 0 ? { purpose: "support" } : { recipient_name: "istanbul" }),
      ...(index % 3 === 0 ? { funder_ein: facts.big.ein } : {}),
      ...(index % 7 === 0 ? { min_amount: String(index * 100) } : {}),
    }));
    const paths = requests.map(
      (filters, index) => `/v1/history?${new URLSearchParams({ ...filters, offset: String(index) })}`,
    );
    const bodies = await Promise.all(paths.map((path) => askText(path)));
    for (const [index, body] of bodies.entries())
      expect(body, paths[index]).toBe(oracle.body(requests[index] ?? {}, 100, index));
  });
});

describe("a release built again from the same data at another time", () => {
  it("has the same bytes and ETags, so that caches stay valid", async () => {
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
