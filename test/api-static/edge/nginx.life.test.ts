// Tests nginx over time: a new release, lost servers.
import { describe, expect, it } from "vitest";
import { until } from "../server/socket.fixture.ts";
import { expectSame, releaseIds, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled } from "./nginx.fixture.ts";

const host = useEdge();
const server = (path: string) => host().ask(path);
const edge = (path: string) => host().askEdge(path);
const [earlier, later] = releaseIds;

describe.skipIf(!isNginxInstalled)("nginx", { shuffle: false }, () => {
  it("has the server's answer until another release is current, and then immediately that release's", async () => {
    const search = "/v1/history?limit=17";
    const before = await edge(search);
    expect((await edge(search)).headers["server-timing"]).toBe(before.headers["server-timing"]); // cached
    await host().point(earlier);
    const history = "/v1/funders/131635294/history";
    await until(async () => ((await edge(search)).headers["x-release"] === earlier ? true : undefined));
    await host().followed(earlier);
    for (let sent = 0; sent < 20; sent++) {
      expectSame(search, await server(search), await edge(search));
      expectSame(history, await server(history), await edge(history));
    }
    await host().point(later);
    await until(async () => ((await edge(search)).headers["x-release"] === later ? true : undefined));
    expect((await edge(search)).body.equals(before.body)).toBe(true);
    await host().followed(later);
  });

  // The last test, because it leaves no server.
  it("lets one server answer if the other one fails, and only its cache if both do", async () => {
    const [first, second] = host().servers;
    first?.child.kill("SIGKILL");
    await first?.ended;
    for (let offset = 0; offset < 40; offset++)
      expect((await edge(`/v1/history?limit=3&offset=${offset}`)).status).toBe(200);
    const page = `/v1/funders/${host().facts.big.ein}/history`;
    const before = await edge(page);
    second?.child.kill("SIGKILL");
    await second?.ended;
    expect((await edge(page)).body.equals(before.body)).toBe(true);
    expect((await edge("/v1/history?limit=3&offset=3")).status).toBe(200); // cached
    const { status, headers, body } = await edge("/v1/history?limit=3&offset=333");
    expect([status, headers["cache-control"], headers["retry-after"]]).toStrictEqual([503, "no-store", "5"]);
    expect(JSON.parse(body.toString())).toMatchObject({ success: false, code: "not_ready" });
  });
});
