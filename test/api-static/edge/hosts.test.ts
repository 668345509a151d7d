// Tests that every host answers the one table of requests as the server does.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { site } from "../../pipeline/release.fixture.ts";
import { spreadOf } from "../../proofs.ts";
import { requestTable, siteTable, type TableRequest } from "../requestTable.ts";
import type { RawAnswer } from "../server/socket.fixture.ts";
import { essence, expectSame, gzip, type Headers, useEdge } from "./edge.fixture.ts";
import { isNginxInstalled } from "./nginx.fixture.ts";
import { Worker } from "./worker.fixture.ts";

type Ask = (path: string, headers: Headers) => Promise<RawAnswer>;

const edge = useEdge();
const server: Ask = (path, headers) => edge().ask(path, headers);
let worker: Worker;

beforeAll(async () => {
  worker = await Worker.start(edge().publicFolder, edge().serverPort);
});

afterAll(() => worker?.stop());

/** Every request of the table once. */
function table(): readonly TableRequest[] {
  const rows = [...new Map(requestTable(edge().facts).map((row) => [row.path, row])).values()];
  return [
    ...spreadOf("requests through every host", rows, 13),
    ...siteTable(readdirSync(join(site, "assets")).slice(0, 5)),
  ];
}

/** Sends the requests in groups, because a runtime for tests has few connections. */
async function forEachRequest(check: (row: TableRequest) => Promise<void>): Promise<void> {
  const rows = table();
  for (let from = 0; from < rows.length; from += 8) await Promise.all(rows.slice(from, from + 8).map(check));
}

/** True if an escape of the URL is not UTF-8. */
const hasOddEscape = (path: string) => {
  try {
    return decodeURIComponent(path) === undefined;
  } catch {
    return true;
  }
};

describe.each([
  ["gzip", gzip],
  ["no", {}],
] as const)("the request table, with %s encoding,", (_, headers) => {
  it.skipIf(!isNginxInstalled)(
    "has the server's status, body and headers through nginx, also from its cache",
    async () => {
      await forEachRequest(async ({ path, status }) => {
        const ours = await server(path, headers);
        for (const _ of ["first", "cached"]) {
          const theirs = await edge().askEdge(path, headers);
          expect(theirs.status, path).toBe(status);
          expectSame(path, ours, theirs);
        }
      });
    },
  );

  it("has the server's status, body and caching through the Worker, also from its cache", async () => {
    await forEachRequest(async ({ path, status }) => {
      if (hasOddEscape(path)) return; // the runtime replaces such escapes before the Worker sees them
      const ours = essence(await server(path, headers));
      for (const _ of ["first", "cached"]) {
        const theirs = await worker.ask(path, headers);
        expect(theirs.status, path).toBe(status);
        expect(essence(theirs), path).toStrictEqual(ours);
      }
    });
  });
});
