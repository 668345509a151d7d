// Reads parts of the Parquet file in a page of another origin, with hyparquet.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import { repository } from "../../api-static/server/release.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const columns = ["id", "funder_ein"];

/** The other site's script. */
const code = `import { asyncBufferFromUrl, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
globalThis.reader = { asyncBufferFromUrl, compressors, parquetReadObjects };`;

/** What the script leaves in the page. */
declare const reader: typeof import("hyparquet") & typeof import("hyparquet-compressors");

/** Builds the script for a browser. */
async function buildReader(): Promise<string> {
  const input = join(repository, "reader.js"); // it need not exist
  const load = (id: string) => (id === input ? code : undefined);
  const resolveId = (id: string) => (id === input ? id : undefined);
  const build = await rolldown({ input, plugins: [{ name: "reader", resolveId, load }] });
  return (await build.generate({ format: "esm" })).output[0].code;
}

describe.runIf(hasChromium)("hyparquet in a page of another origin", () => {
  const site = useSite({ sampleRows: 2_000 });
  let other: Server;
  beforeAll(async () => {
    const script = await buildReader();
    other = createServer(({ url }, response) => {
      const isScript = url === "/reader.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(
        isScript ? script : '<h1>Another site</h1><script type="module" src="/reader.js"></script>',
      );
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
  });
  afterAll(() => other?.close());

  it("reads columns in parts, and sees the headers of a part", async () => {
    const { served, origin } = site();
    const { port } = other.address() as AddressInfo;
    const { page } = await site().visit(`http://127.0.0.1:${port}/`, { allowed: /another host|favicon/ });
    const url = `${origin}/${downloadKey("grants.parquet")}`;
    const found = await page.evaluate(readInPage, { url, columns });
    const { size, asked, part, ids } = found;
    expect(asked.filter((range) => /^bytes=\d+-\d+$/.test(range)).length).toBeGreaterThan(1);
    expect(part).toStrictEqual([206, "PAR1", `bytes ${size - 4}-${size - 1}/${size}`, "bytes", "4"]);
    const ours = served.lines.map((line) =>
      /^\{"id":(-?\d+),"funder_ein":"(\d+)"/.exec(line)?.slice(1).join(" "),
    );
    expect(ids.toSorted()).toStrictEqual(ours.toSorted());
  });
});

/** Runs in the page. */
async function readInPage({ url, columns }: { url: string; columns: string[] }) {
  const asked: string[] = [];
  const ask = (address: string | URL | Request, init?: RequestInit) => {
    asked.push(new Headers(init?.headers).get("Range") ?? "");
    return fetch(address, init);
  };
  const { asyncBufferFromUrl, compressors, parquetReadObjects } = reader;
  const file = await asyncBufferFromUrl({ url, fetch: ask as typeof fetch });
  const rows = await parquetReadObjects({ file, columns, compressors });
  const { status, headers, ...part } = await fetch(url, { headers: { Range: "bytes=-4" } }).then(
    async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }),
  );
  const named = ["Content-Range", "Accept-Ranges", "Content-Length"].map((name) => headers.get(name));
  return {
    size: file.byteLength,
    asked,
    part: [status, part.text, ...named],
    ids: rows.map((row) => `${row.id} ${row.funder_ein}`),
  };
}
