// Tests the headers that nginx computes for page files: `Link` for any page number, and `s-maxage` at any minute of a day.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatEin } from "../../../api-static/contract/ein.ts";
import { pageSizes } from "../../../api-static/contract/limits.ts";
import { funderPageKey, storedEnding } from "../../../api-static/contract/pageKeys.ts";
import { secondsToSyncEnd } from "../../../api-static/contract/schedule.ts";
import { parts } from "../../../api-static/release/layout.ts";
import { askRaw } from "../server/socket.fixture.ts";
import { isNginxInstalled, type Nginx, startNginx } from "./nginx.fixture.ts";

/** A funder with these pages and the page after each; a page's number is its offset divided by its limit. */
const numbers = [
  ...[0, 1, 8, 9, 10, 11, 18, 19, 20, 89, 90, 98, 99, 100, 101, 109, 110, 189, 199, 200, 899, 900, 909],
  ...[
    989, 990, 998, 999, 1_000, 1_001, 1_099, 1_100, 1_299, 1_300, 8_999, 9_000, 9_099, 9_989, 9_999, 10_000,
  ],
  ...[10_099, 19_999, 20_000, 99_999, 100_000, 100_001, 909_090, 999_999, 1_000_000],
];
const ein = formatEin(131_635_294);
let [root, nginx]: [string, Nginx | undefined] = ["", undefined];

const ask = (path: string, headers: Record<string, string> = {}) => askRaw(nginx?.port ?? 0, path, headers);

/** nginx on page files alone, without servers. Its clock is the request's header X-Date. */
beforeAll(async () => {
  if (!isNginxInstalled) return;
  root = await mkdtemp(join(tmpdir(), "edge-headers-"));
  const release = join(root, "releases/20261120T040000Z");
  const file = (limit: number, page: number) =>
    join(release, parts.public, funderPageKey(ein, limit, page * limit) + storedEnding);
  await mkdir(join(file(100, 0), ".."), { recursive: true });
  for (const limit of pageSizes)
    for (const page of new Set(numbers.flatMap((page) => [page, page + 1])))
      await writeFile(file(limit, page), gzipSync("{}"));
  await symlink("releases/20261120T040000Z", join(root, "current"));
  nginx = await startNginx(root, [1], (text) => {
    expect(text.split("map $date_gmt ")).toHaveLength(2);
    return text.replace("map $date_gmt ", "map $http_x_date ");
  });
});

afterAll(async () => {
  await nginx?.stop();
  if (root !== "") await rm(root, { recursive: true, force: true });
});

describe.skipIf(!isNginxInstalled)("Link from nginx", () => {
  it.each(pageSizes)("names the previous and the next page for any digits, at limit %i", async (limit) => {
    const path = `/v1/funders/${ein}/history`;
    const href = (page: number) => `<${path}?limit=${limit}&offset=${page * limit}>`;
    for (const page of numbers) {
      const { status, headers } = await ask(`${path}?limit=${limit}&offset=${page * limit}`);
      const previous = page === 0 ? "" : `, ${href(page - 1)}; rel="prev"`;
      expect([status, headers.link], `page ${page}`).toStrictEqual([
        200,
        `${href(0)}; rel="first"${previous}, ${href(page + 1)}; rel="next"`,
      ]);
    }
  });

  it("names no page after the last", async () => {
    const { status, headers } = await ask(`/v1/funders/${ein}/history?limit=100&offset=${1_000_001 * 100}`);
    expect([status, String(headers.link).includes('rel="next"')]).toStrictEqual([200, false]);
  });
});

describe.skipIf(!isNginxInstalled)("s-maxage from nginx", () => {
  it("is the server's, rounded down to whole hours but at least 60, at every ten minutes of a day", async () => {
    const midnight = Date.UTC(2026, 10, 20);
    const seen = new Set<number>();
    for (let minutes = 0; minutes < 24 * 60; minutes += 10) {
      for (const seconds of [0, 599]) {
        const now = new Date(midnight + (minutes * 60 + seconds) * 1000);
        const [, day, month, year, time] = now.toUTCString().replace(",", "").split(" ");
        const date = `Friday, ${day}-${month}-${year} ${time} GMT`; // as nginx formats $date_gmt
        const { headers } = await ask(`/v1/funders/${ein}/history`, { "X-Date": date });
        const shared = Number(/s-maxage=(\d+)/.exec(headers["cache-control"] ?? "")?.[1]);
        // Rounded down; an exact number of hours is rounded to the hour before.
        const whole = Math.floor((secondsToSyncEnd(now) - 1) / 3600) * 3600;
        expect(shared, date).toBe(Math.max(60, whole));
        seen.add(shared);
      }
    }
    expect(seen.size).toBe(24);
  });
});
