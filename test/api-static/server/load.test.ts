// Tests the server under load: with new releases, a signal, and more searches than it can run.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inspectable, measureLiveMemory } from "./heap.fixture.ts";
import { CutOff, readFigure, readMemory, startLoad } from "./load.fixture.ts";
import { linkTo, releaseTypes, typesOf, useMovingReleases } from "./moving.fixture.ts";
import { askRaw, countOpenFiles, type RawAnswer, readPort, until, useServers } from "./socket.fixture.ts";

/** Length of each load. */
const seconds = 12;
/** New releases before memory is measured. */
const warmSwaps = 6;
const { made, newData } = useMovingReleases();
const startServer = useServers();

async function startOn(folder: string | undefined, settings: Record<string, string> = {}) {
  const { data, point } = await newData();
  await point(linkTo(folder));
  const server = startServer({ DATA: data, PORT: "0", LOG_LEVEL: "error", ...settings });
  return { server, point, port: await readPort(server) };
}

const history = "/v1/funders/131635294/history";
const pages = [history, `${history}?limit=1000`, `${history}?offset=1400`];
const windows = [`${history}?limit=999`, `${history}?limit=77&offset=31`];
const searches = [
  "/v1/history?limit=500",
  "/v1/history?min_amount=1&limit=50",
  "/v1/history?purpose=support",
  "/v1/history?recipient_name=istanbul&transaction_year=2021",
];

const exported = [`${history}.csv`, "/v1/history.csv?transaction_year=2021"];

/** Cycles through the paths. */
function inTurn(paths: readonly string[]): () => string {
  let turn = 0;
  return () => paths[turn++ % paths.length] ?? "";
}

/** The types of all records of an export: the column between the recipient's EIN and the amount. */
function exportedTypes(body: Buffer): Set<string | undefined> {
  return new Set([...body.toString().matchAll(/,(old|new),-?\d+\.\d\d,/g)].map(([, type]) => type));
}

/** Expects a response from exactly one release. */
function expectOneRelease(path: string, { status, headers, body }: RawAnswer): void {
  const release = String(headers["x-release"]) as keyof typeof releaseTypes;
  const isOld = releaseTypes[release] === "old";
  if (status !== 200) throw new Error(`${path} answered ${status}: ${body}`);
  const isExport = path.includes(".csv");
  expect([...(isExport ? exportedTypes(body) : typesOf(body))], path).toStrictEqual([releaseTypes[release]]);
  if (path === exported[0])
    expect(body.toString().match(/^\d+,131635294,/gm)?.length).toBe(isOld ? 1500 : 1499);
  else if (path.startsWith(history))
    expect(JSON.parse(body.toString()).total, path).toBe(isOld ? 1500 : 1499);
}

describe("ten new releases and a rollback under load", () => {
  it("fail no request, never mix two releases, and leak neither files nor memory", async () => {
    const { server, port, point } = await startOn(made[0], inspectable);
    const seen = new Set<unknown>();
    const load = startLoad({
      port,
      clients: 8,
      next: inTurn([...pages, ...windows, ...searches, ...exported]),
      onAnswer: (path, answer) => {
        expectOneRelease(path, answer);
        seen.add(answer.headers["x-release"]);
      },
    });
    const swap = async (index: number) => {
      await point(linkTo(made[index % 2]));
      const [release] = (made[index % 2] ?? "").split("/").slice(-1);
      await until(async () =>
        (await askRaw(port, "/v1/status")).headers["x-release"] === release ? true : undefined,
      );
      await sleep((seconds * 1000) / (warmSwaps + 11));
    };
    // Each release was open three times by then, so caches are full and memory and files are at their usual level.
    for (let index = 1; index <= warmSwaps; index++) await swap(index);
    const [memory, live, files] = [
      await readMemory(server),
      await measureLiveMemory(server),
      countOpenFiles(server),
    ];
    for (let index = warmSwaps + 1; index <= warmSwaps + 10; index++) await swap(index); // ends at the older one: a rollback
    await swap(warmSwaps + 11);
    await load.stop();
    expect(load.answers()).toBeGreaterThan(100);
    expect(seen).toStrictEqual(new Set(Object.keys(releaseTypes)));
    await until(() => (countOpenFiles(server) <= files ? true : undefined));
    const { objects, buffers } = await measureLiveMemory(server);
    expect(objects).toBeLessThan(live.objects + 8);
    expect(buffers).toBeLessThan(live.buffers + 8);
    expect(await readMemory(server)).toBeLessThan(memory + 64); // what DuckDB holds is in no heap
    expect(server.output()).not.toContain('"level":"error"');
  }, 120_000);
});

describe("a SIGTERM under load", () => {
  it("completes every response that started and every search that arrived, then exits with 0", async () => {
    const { server, port } = await startOn(made[0], { SEARCH_SECONDS: "30" }); // other tests may run beside it
    const failures: Error[] = [];
    const load = startLoad({
      port,
      clients: 8,
      next: inTurn([...pages, ...windows]), // an export may outlast the server's grace period
      onAnswer: expectOneRelease,
      onFailure: (error) => failures.push(error),
    });
    const searches = Promise.all(
      Array.from({ length: 20 }, () => askRaw(port, "/v1/history?purpose=s&limit=1000")),
    );
    const arrived =
      /^grants_server_(searches\{|requests_total\{route="\/v1\/history",status="200",code="",answered_by="search")/;
    await until(async () => ((await readFigure(server, arrived)) >= 20 ? true : undefined));
    server.child.kill("SIGTERM");
    for (const answer of await searches) expectOneRelease("/v1/history", answer);
    expect(await server.ended).toBe(0);
    await until(() => (failures.length === 8 ? true : undefined)); // every client stops when its connection ends
    await load.stop();
    expect(load.answers()).toBeGreaterThan(0);
    expect(failures.filter((error) => error instanceof CutOff || "matcherResult" in error)).toStrictEqual([]);
  }, 60_000);
});

describe("ten times the searches that the server can run", () => {
  it("get an answer or a 503, pages are still served, and the server recovers", async () => {
    const { server, port } = await startOn(made[0], {
      SEARCHES: "1",
      SEARCHES_WAITING: "4",
      SEARCH_SECONDS: "1",
    });
    const codes = new Map<string, number>();
    const onSearch = (path: string, answer: RawAnswer) => {
      const code = answer.status === 200 ? "answered" : expectShed(path, answer);
      codes.set(code, (codes.get(code) ?? 0) + 1);
    };
    const onPage = (path: string, { status }: RawAnswer) => {
      if (status !== 200) throw new Error(`${path} answered ${status}`); // this load is light
    };
    const phase = seconds / 4;
    const quiet = startLoad({ port, clients: 4, next: inTurn(pages), onAnswer: onPage });
    await sleep(phase * 1000);
    await quiet.stop();
    const able = startLoad({ port, clients: 2, next: inTurn(searches.slice(1)), onAnswer: onSearch });
    await sleep(phase * 1000);
    await able.stop();
    const rate = (10 * able.answers()) / phase;

    codes.clear();
    const pressing = startLoad({
      port,
      clients: 50,
      rate,
      next: inTurn(searches.slice(1)),
      onAnswer: onSearch,
    });
    const pressed = startLoad({ port, clients: 4, next: inTurn(pages), onAnswer: onPage });
    await sleep(seconds * 1000);
    await pressed.stop();
    await pressing.stop();
    const [before, after] = [quiet.answers() / phase, pressed.answers() / seconds].map(Math.round);
    console.log(
      `pages per second: ${before}, and ${after} among ${Math.round(rate)} searches per second, of which ${JSON.stringify(Object.fromEntries(codes))}`,
    );
    expect(pressed.answers()).toBeGreaterThan(0);
    expect(codes.get("answered")).toBeGreaterThan(0);
    expect(codes.get("overloaded")).toBeGreaterThan(0);

    await until(async () =>
      (await readFigure(server, /^grants_server_searches\{/)) === 0 ? true : undefined,
    );
    for (const path of searches) expectOneRelease(path, await askRaw(port, path));
    expect(server.output()).not.toContain('"level":"error"');
  }, 120_000);
});

/** Checks the response to a search that was rejected; returns its error code. */
function expectShed(path: string, { status, headers, body }: RawAnswer): string {
  const { success, code } = JSON.parse(body.toString()) as { success: boolean; code: string };
  expect([status, success, headers["cache-control"]], path).toStrictEqual([503, false, "no-store"]);
  expect(["overloaded", "timeout"], path).toContain(code);
  expect(Number(headers["retry-after"]), path).toBeGreaterThan(0);
  return code;
}
