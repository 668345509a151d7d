// Tests how clients share the places for exports: slow downloads and clients with many exports make room.
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../../../api-static/contract/errors.ts";
import { Exports } from "../../../../api-static/server/answers/export.ts";
import { ExportPlaces } from "../../../../api-static/server/answers/exportPlaces.ts";
import { createTestApp, useRelease } from "../release.fixture.ts";
import { askRaw, listen, until } from "../socket.fixture.ts";

/** Places for exports, of which each must send 1,000 bytes per second, at a clock that stands still. */
function startPlaces(running: number) {
  const clock = { now: 0 };
  const places = new ExportPlaces({ running, leastRate: 1_000 }, () => clock.now);
  const cut: string[] = [];
  const take = (name: string, network = name) => {
    const place = places.take(network);
    place.cut = (reason) => cut.push(`${name}: ${reason?.message}`);
    return place;
  };
  return { clock, places, cut, take };
}

const overloaded = expect.objectContaining({ error: expect.objectContaining({ code: "overloaded" }) });

describe("a place for an export", () => {
  it("is refused if all are taken, and free again when an export leaves", () => {
    const { places, take, cut } = startPlaces(2);
    const first = take("a");
    take("b");
    expect(() => take("c")).toThrow(overloaded);
    expect(() => take("a")).toThrow(Refusal);
    places.leave(first);
    take("c");
    expect([places.taken, cut]).toStrictEqual([2, []]);
  });

  it("is taken from the slowest download below the least rate of a window, even by the same client", () => {
    const { clock, take, cut, places } = startPlaces(3);
    const exports = ["fast", "slow", "slower"].map((name) => take(name, "one"));
    const sent = [2_000, 900, 100];
    for (let second = 0; second < 29; second++) {
      clock.now += 1_000;
      for (const [index, one] of exports.entries()) one.count(sent[index] ?? 0);
    }
    expect(() => take("next", "one")).toThrow(overloaded); // the first window has not ended
    clock.now += 1_000;
    take("next", "one");
    take("last", "one");
    expect(() => take("more", "one")).toThrow(overloaded);
    expect(cut.map((line) => line.split(":")[0])).toStrictEqual(["slower", "slow"]);
    expect(cut[0]).toMatch(/^slower: another export needed its place, and it sent \d+ bytes per second$/);
    expect(places.taken).toBe(3);
  });

  it("is kept by a slow download as long as nobody needs it", () => {
    const { clock, take, cut } = startPlaces(2);
    take("slow");
    clock.now += 3_600_000;
    take("b");
    expect(cut).toStrictEqual([]);
  });

  it("is taken from the newest export of a client with two more than the one that asks", () => {
    const { take, cut } = startPlaces(4);
    for (const name of ["a1", "a2", "a3", "a4"]) take(name, "a");
    take("b1", "b");
    take("b2", "b");
    for (const network of ["a", "b"]) expect(() => take("more", network)).toThrow(overloaded);
    take("c1", "c");
    expect(cut).toStrictEqual([
      "a4: another export needed its place, and its client had 4 exports",
      "a3: another export needed its place, and its client had 3 exports",
      "a2: another export needed its place, and its client had 2 exports",
    ]);
  });
});

describe("exports that their client hardly reads", () => {
  const served = useRelease({ sampleRows: 20_000 });

  it("are reset when another one needs their place", async () => {
    let now = 0;
    const exports = new Exports({ running: 2, seconds: 600, minutes: 60, leastRate: 1_000 }, () => now);
    const log: Record<string, unknown>[] = [];
    const app = createTestApp(served().release, (line) => log.push(JSON.parse(line)), { exports });
    const { server, port } = await listen(app.handle);
    const sockets = [1, 2].map(() => connect(port, "127.0.0.1").pause());
    const resets = sockets.map((socket) => new Promise((resolve) => socket.once("error", resolve)));
    for (const socket of sockets) socket.write("GET /v1/history.csv HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => (exports.places.taken === 2 ? true : undefined));
    expect((await askRaw(port, "/v1/funders/131635294/history.csv")).status).toBe(503);
    now += 60_000;
    await new Promise((resolve) => setTimeout(resolve, 100)); // what is on its way counts in the first window
    for (let windows = 0; windows < 2; windows++) {
      now += 3_600_000;
      exports.places.take("192.0.2.1");
    }
    for (const socket of sockets) socket.resume();
    for (const reset of resets) expect(await reset).toMatchObject({ code: "ECONNRESET" });
    const lines = log.filter(({ message }) => message === "export cut off");
    expect(lines).toMatchObject([
      { level: "warn", err: { type: "PlaceTaken" } },
      { level: "warn", err: { type: "PlaceTaken" } },
    ]);
    server.close();
  });
});
