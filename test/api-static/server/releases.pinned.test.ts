// Tests pinned releases: paging while a new release becomes current, and pruned and unknown releases.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { readLines, repository } from "./release.fixture.ts";
import { openReleases, useDifferentReleases } from "./releases.fixture.ts";
import { askRaw, readPort, startServer, until } from "./socket.fixture.ts";

const made = useDifferentReleases();
const funder = "131635294";
const history = `/v1/funders/${funder}/history`;
const { id, folder } = made;
const pin = (number: number, path: string) => `/r/${id(number)}${path}`;

/** Prunes in a separate process, as a sync does, because a process does not see its own locks. */
async function prune(data: string, keep: number): Promise<string[]> {
  const script = `
    import { pruneReleases, removePruned } from ${JSON.stringify(join(repository, "pipeline/releases/retention.ts"))};
    const data = ${JSON.stringify(data)};
    console.log(JSON.stringify(await pruneReleases(data, ${keep}, console.error)));
    await removePruned(data, console.error);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  return JSON.parse(stdout) as string[];
}

let here: Awaited<ReturnType<typeof openReleases>>;

const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code: string };
  return [response.status, code];
};

describe("a walk through the Link headers of a pinned release", () => {
  it("has every record once, in order, even if another release becomes current meanwhile", async () => {
    const data = made.data();
    await activateRelease(data, id(0));
    const server = startServer({ PORT: "0", DATA: data });
    try {
      const port = await readPort(server);
      const lines: string[] = [];
      let pages = 0;
      let next: string | undefined = pin(0, `${history}?limit=70`);
      while (next !== undefined) {
        if (++pages === 5) {
          await activateRelease(data, id(3));
          await until(async () =>
            (await askRaw(port, "/v1/status")).headers["x-release"] === id(3) ? true : undefined,
          );
        }
        const { status, headers, body } = await askRaw(port, next);
        expect([status, headers["x-release"]]).toStrictEqual([200, id(0)]);
        lines.push(
          ...body
            .toString()
            .split("\n")
            .filter((line) => line.startsWith('{"id"'))
            .map((line) => line.replace(/,$/, "")),
        );
        next = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
        expect(next ?? pin(0, "/v1/")).toMatch(new RegExp(`^/r/${id(0)}/v1/`));
      }
      expect(pages).toBe(Math.ceil(1500 / 70));
      expect(lines).toStrictEqual(readLines(folder(0)));
    } finally {
      server.child.kill("SIGTERM");
      expect(await server.ended).toBe(0);
    }
  });
});

describe("a new release", () => {
  it("is found before the next regular listing, because another server may have named it already", async () => {
    const data = await mkdtemp(join(tmpdir(), "pinned-"));
    const put = (number: number) => symlink(folder(number), join(data, "releases", id(number)));
    await mkdir(join(data, "releases"));
    await put(0);
    const here = await openReleases(data);
    const askFor = async (number: number) => {
      here.turn(20);
      const { status, headers } = await here.ask(pin(number, history));
      return [status, headers.get("Cache-Control")];
    };
    try {
      const kept = "public, max-age=31536000, immutable";
      expect(await askFor(2)).toStrictEqual([404, "no-store"]);
      await put(2);
      expect(await askFor(2)).toStrictEqual([200, kept]);
      await put(1); // older than the known releases: no sync makes it
      expect(await askFor(1)).toStrictEqual([404, "no-store"]);
      await here.check();
      expect(await askFor(1)).toStrictEqual([200, kept]);
    } finally {
      here.close();
      await rm(data, { recursive: true });
    }
  });
});

describe("a pinned release", () => {
  beforeEach(async () => {
    await activateRelease(made.data(), id(3));
    here = await openReleases(made.data());
  });
  afterEach(() => here.close());

  it("answers every kind of request as it did when it was current, cacheable forever", async () => {
    await activateRelease(made.data(), id(1));
    const before = await openReleases(made.data());
    for (const path of [
      history,
      `${history}?limit=7&offset=9`,
      `${history}-100-0.json`,
      "/v1/history?recipient_name=a&limit=20",
    ]) {
      const [pinned, once] = [await here.ask(pin(1, path)), await before.ask(path)];
      const body = await pinned.text();
      expect(body, path).toBe(await once.text());
      expect(body).toContain('"type":"of 1"');
      expect(pinned.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
      expect(pinned.headers.get("X-Release")).toBe(id(1));
      const etag = once.headers.get("ETag") ?? "";
      expect(pinned.headers.get("ETag")).toBe(etag);
      const again = await here.ask(pin(1, path), { "If-None-Match": etag });
      expect([again.status, again.headers.get("Cache-Control")]).toStrictEqual([
        304,
        "public, max-age=31536000, immutable",
      ]);
      for (const [, link] of (pinned.headers.get("Link") ?? "").matchAll(/<([^>]*)>/g))
        expect(link).toMatch(new RegExp(`^/r/${id(1)}/v1/`));
    }
    before.close();
  });

  it("has its own summaries, and exports that continue even if it is pruned meanwhile", async () => {
    const summary = await here.ask(pin(1, `/v1/funders/${funder}/summary`));
    expect(summary.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(await summary.json()).toMatchObject({ data: { funder_ein: funder, records: 1499 } });
    const organization = await here.ask(pin(1, "/v1/organizations/999999999"));
    expect(await codeOf(organization)).toStrictEqual([404, "organization_not_found"]);
    const path = "/v1/history.csv?funder_ein=131635294&min_amount=-100000000000000000";
    const file = await here.ask(pin(1, path));
    await rename(folder(1), `${folder(1)}.pruned`);
    await here.check();
    expect(await codeOf(await here.ask(pin(1, path)))).toStrictEqual([404, "release_not_found"]);
    expect((await file.text()).match(/,of 1,/g)).toHaveLength(1499);
    await until(() => (here.releases.size === 1 ? true : undefined));
    await rename(`${folder(1)}.pruned`, folder(1));
  });

  it("has its own status, redirects inside its prefix and refuses like the current one", async () => {
    expect(await (await here.ask(pin(2, "/v1/status"))).json()).toMatchObject({
      release: id(2),
      records: 1498,
    });
    const redirect = await here.ask(pin(2, "/v1/funders/13-1635294/history?limit=5"));
    expect([redirect.status, redirect.headers.get("Location")]).toStrictEqual([
      308,
      pin(2, `${history}?limit=5`),
    ]);
    expect(await codeOf(await here.ask(pin(2, "/v1/history?limit=0")))).toStrictEqual([
      400,
      "invalid_parameter",
    ]);
    expect(await codeOf(await here.ask(pin(2, "/v1/funders/999999999/history")))).toStrictEqual([
      404,
      "funder_not_found",
    ]);
    for (const path of [pin(2, "/v1/nothing"), pin(2, "/status"), pin(2, "/healthz"), pin(2, "")])
      expect(await codeOf(await here.ask(path)), path).toStrictEqual([404, "not_found"]);
  });

  it("has the pages that show its data, and once it is gone, the same pages, which say so", async () => {
    for (const path of [
      "/",
      "/?purpose=food",
      `/funder?ein=${funder}`,
      "/recipient",
      "/compare",
      "/groups",
    ]) {
      const [pinned, gone, now] = await Promise.all(
        [pin(2, path), `/r/20200101T000000Z${path}`, path].map((each) => here.ask(each)),
      );
      expect([pinned?.status, pinned?.headers.get("X-Release")], path).toStrictEqual([200, id(2)]);
      expect(pinned?.headers.get("Cache-Control")).toBe("public, max-age=300");
      expect([gone?.status, gone?.headers.get("Cache-Control")], path).toStrictEqual([404, "no-store"]);
      const scriptsOf = async (page?: Response) => (await page?.text())?.match(/src="[^"]+"/g);
      const scripts = await scriptsOf(now);
      expect(scripts?.length).toBeGreaterThan(0);
      expect([await scriptsOf(pinned), await scriptsOf(gone)]).toStrictEqual([scripts, scripts]);
    }
  });

  it("is not found under any id that no kept release has", async () => {
    for (const name of [
      "20200101T000000Z",
      "current",
      "",
      "%00",
      `${id(1)}x`,
      `x${id(1)}`,
      `..%2freleases%2f${id(1)}`,
    ]) {
      const response = await here.ask(`/r/${name}/v1/status`);
      const [status, code] = await codeOf(response);
      expect([status, code === "not_found" ? "release_not_found" : code], name).toStrictEqual([
        404,
        "release_not_found",
      ]);
      expect(response.headers.get("Cache-Control")).toBe(
        code === "not_found" ? "public, max-age=60" : "no-store",
      );
    }
    expect(here.log).toStrictEqual([`release ${id(3)} is served`]);
    expect(here.releases.size).toBe(1);
  });

  it("stays open while it is kept", async () => {
    await here.ask(pin(1, "/v1/status"));
    here.turn(600_000);
    await here.check();
    expect(here.releases.size).toBe(2);
  });
});

describe("a pinned release that is pruned while it is open", () => {
  it("answers running requests, then is not found, and is removed from the disk", async () => {
    const data = `${made.data()}-pruned`;
    await cp(made.data(), data, { recursive: true, verbatimSymlinks: true });
    await activateRelease(data, id(3));
    here = await openReleases(data);
    await writeFile(join(data, "releases", ".hidden"), "");
    const release = await here.releases.enter(id(0));
    expect(await prune(data, 2)).toStrictEqual([id(0), id(1)]);
    const left = async () => (await readdir(join(data, "releases"))).filter((name) => name !== ".hidden");
    const pruned = expect.stringMatching(`^${id(0)}-.+\\.pruned$`);
    expect(await left()).toStrictEqual([pruned, id(2), id(3)]);
    await here.check();
    for (const number of [0, 1])
      expect(await codeOf(await here.ask(pin(number, history)))).toStrictEqual([404, "release_not_found"]);
    const { positions } = (await release?.search.find({ transactionYear: 2021 }, 5, 0)) ?? { positions: [] };
    expect(release?.records.readLines(positions).toString()).toContain('"type":"of 0"');
    expect(await prune(data, 2)).toStrictEqual([]);
    expect(await left()).toHaveLength(3);
    release?.leave();
    expect(await prune(data, 2)).toStrictEqual([]);
    expect(await left()).toStrictEqual([id(2), id(3)]);
    here.close();
  });
});
