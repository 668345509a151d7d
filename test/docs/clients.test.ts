// Tests that every program in docs/clients.md does what the page says, by running each unchanged against a server.
import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { SearchQueue } from "../../api-static/search/queue.ts";
import { Release } from "../../api-static/search/release.ts";
import { SearchThreads } from "../../api-static/search/searchThreads.ts";
import { Clients } from "../../api-static/server/http/clients.ts";
import type { ServiceRequest } from "../../api-static/server/http/exchange.ts";
import { Releases } from "../../api-static/server/releases.ts";
import { poolsOf } from "../api-static/search/client.fixture.ts";
import { useMovingReleases } from "../api-static/server/moving.fixture.ts";
import { createTestApp, readLines, type TestApp, useRelease } from "../api-static/server/release.fixture.ts";
import { listen } from "../api-static/server/socket.fixture.ts";
import {
  clientsPage,
  findLanguages,
  type Language,
  languages,
  type Program,
  parseLines,
  recordsOf,
  writeProgram,
} from "./clients.fixture.ts";
import { findBlocks, findSection } from "./markdown.fixture.ts";

const sections = ["Walk all pages", "Conditional requests", "Retries"];

const here = findLanguages();
const served = useRelease({ sampleRows: 4_000 });
const moving = useMovingReleases();

/** Serves an application until the test ends; returns the program of a section, which runs against it. */
async function serve(
  app: TestApp,
  section: string,
  language: Language,
  onTestFinished: TestContext["onTestFinished"],
  more: { readonly PINNED?: string } = {},
): Promise<Program> {
  const { server, port } = await listen(app.handle);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const environment = { GRANTS_URL: `http://127.0.0.1:${port}`, ...more };
  return writeProgram(section, language, environment, onTestFinished);
}

it("docs/clients.md has one program of each language in each section", () => {
  for (const section of sections)
    expect(
      findBlocks(findSection(clientsPage, section)).map(({ language }) => language),
      section,
    ).toEqual(languages.map(({ name }) => name));
  expect(findBlocks(clientsPage).length).toBe(sections.length * languages.length);
});

describe.concurrent.each(here)("the $name program", (language) => {
  it("requests again with the tag of its copy, and keeps the copy at 304", async ({ onTestFinished }) => {
    const statuses: unknown[] = [];
    const app = createTestApp(served().release, (line) => statuses.push(JSON.parse(line).status));
    const { folder, run } = await serve(app, "Conditional requests", language, onTestFinished);
    expect(await run()).toBe("changed\n");
    const kept = await readFile(join(folder, "page.json"), "utf8");
    expect(kept).toBe(await served().askText("/v1/history?transaction_year=2020"));
    expect(await run()).toBe("unchanged\n");
    expect(await readFile(join(folder, "page.json"), "utf8")).toBe(kept);
    expect(statuses).toEqual([200, 304]);
    await writeFile(join(folder, "page.etag"), '"of an older page"');
    expect(await run()).toBe("changed\n");
  });

  it("waits as long as a 429 says, and retries", async ({ onTestFinished }) => {
    const refused: unknown[] = [];
    const clients = new ExhaustedClients();
    const app = createTestApp(served().release, (line) => refused.push(...codesOf(line)), { clients });
    const { run } = await serve(app, "Retries", language, onTestFinished);
    expect(Number(await run())).toBe(await totalOf(search));
    expect(refused).toEqual(["rate_limited"]); // a request that came too early would be refused again
  });

  it("retries after a 503", async ({ onTestFinished }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = new SearchQueue({ running: 1, waiting: 0, seconds: 1 });
    queue.run(() => promise).catch(() => undefined);
    const release = await Release.open(served().folder, { threads: poolsOf(new SearchThreads(queue)) });
    const refused: unknown[] = [];
    const app = createTestApp(release, (line) => {
      refused.push(...codesOf(line));
      resolve();
    });
    const { run } = await serve(app, "Retries", language, onTestFinished);
    expect(Number(await run())).toBe(await totalOf(search));
    expect(refused[0]).toBe("overloaded");
    release.leave();
  });

  it("walks one release to its end while another becomes current", async ({ onTestFinished }) => {
    const older = moving.made[0] ?? "";
    const log = { info: () => undefined, error: () => undefined };
    const data = dirname(dirname(older));
    const releases = new Releases({ data, maxBytes: 2 ** 30, now: () => 0, log });
    await releases.check();
    let current: string | undefined = basename(older);
    const enter = (id = current) => releases.enter(id);
    const moved = () => {
      current = undefined; // from the second request on, the newer one is current
    };
    const app = createTestApp(undefined, moved, {
      releases: { current: undefined, enter, findAsset: async () => undefined },
    });
    const { run } = await serve(app, "Walk all pages", language, onTestFinished, { PINNED: "1" });
    const records = recordsOf(readLines(older), 2020);
    expect(records.length).toBeGreaterThan(100);
    expect(parseLines(await run())).toEqual(records);
    expect(releases.size).toBe(2);
    releases.close();
  });
});

/** The request of the programs under "Retries". */
const search = "/v1/history?purpose=support&min_amount=5000&limit=1";

/** The error code in a line of the server's log, if it has one. */
function codesOf(line: string): string[] {
  const { code } = JSON.parse(line);
  return code === undefined ? [] : [code];
}

/** Clients with 60 searches a minute; this machine has used all of them, and the clock stops until one is refused. */
class ExhaustedClients extends Clients {
  constructor() {
    let start: number | undefined;
    super({ searchesPerMinute: 60, trustedProxies: [] }, () =>
      start === undefined ? 0 : performance.now() - start,
    );
    const here = { headers: {}, socket: { remoteAddress: "127.0.0.1" } } as IncomingMessage;
    for (let count = 0; count < 60; count++) super.admitSearch(here);
    this.#onRefusal = () => {
      start ??= performance.now();
    };
  }

  readonly #onRefusal: () => void;

  override admitSearch(request: ServiceRequest): string {
    try {
      return super.admitSearch(request);
    } catch (error) {
      this.#onRefusal();
      throw error;
    }
  }
}

async function totalOf(path: string): Promise<number> {
  return JSON.parse(await served().askText(path)).total;
}
