// Tests that the examples of README and docs/get-started.md answer as shown over the sample that `make start` writes.
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSampleSettings } from "../../tools/sample/main.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { readPort, useServers } from "../api-static/server/socket.fixture.ts";
import { inherited } from "../inherited.ts";
import { fewSearches } from "../pipeline/release.fixture.ts";
import { syncHere } from "../pipeline/trust.fixture.ts";
import { findBlocks, findSection, readDocument } from "./markdown.fixture.ts";

const startServer = useServers();
const readme = readDocument("README.md");

let home = "";
let data = "";

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "readme-"));
  data = join(home, "data");
  const warehouse = join(home, "warehouse");
  await writeSample(readSampleSettings({ OUT: warehouse, MEMORY: "1GB" }));
  await syncHere(warehouse, data, fewSearches);
});

afterAll(() => rm(home, { recursive: true })); // after the servers, which write their logs of searches there

it("README has at most 90 lines", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(90);
});

it("each curl of README gets README's answer from the default sample", async () => {
  const blocks = findBlocks(readme).map(({ code }) => code);
  const calls = blocks.flatMap((call, index) => {
    const [, url] = /^curl '(.*)'$/.exec(call.trim()) ?? [];
    return url === undefined ? [] : [{ url: new URL(url), answer: blocks[index + 1] }];
  });
  expect(calls.length).toBe(1);
  const port = await readPort(startServer({ DATA: data, PORT: "0" }));
  for (const { url, answer } of calls) {
    const response = await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`);
    expect((await response.text()).trimEnd()).toBe(answer?.trimEnd());
  }
});

const isPythonInstalled = spawnSync("python3", ["--version"]).status === 0;
if (!isPythonInstalled)
  console.log("skipped: the program of docs/get-started.md; python3 is not installed here");

it.skipIf(!isPythonInstalled)(
  "the program of docs/get-started.md has twelve lines and prints what the page shows",
  async () => {
    const [program, printed] = findBlocks(findSection(readDocument("docs/get-started.md"), "In Python"));
    expect(program?.code.split("\n").filter((line) => line !== "").length).toBe(12);
    const port = await readPort(startServer({ DATA: data, PORT: "0" }));
    const host = `http://127.0.0.1:${port}`;
    await writeFile(join(home, "program.py"), program?.code.replace("http://127.0.0.1:8080", host) ?? "");
    await writeFile(join(home, "requests.py"), requests);
    await writeFile(join(home, "pandas.py"), pandas);
    const { stdout } = await promisify(execFile)("python3", [join(home, "program.py")], { env: inherited() });
    expect(stdout).toBe(printed?.code);
  },
);

/** What the program uses of the package requests, which not every machine has. */
const requests = `
import json, re
from urllib.parse import urlencode
from urllib.request import urlopen

class Response:
    def __init__(self, response):
        self.text, self.link = response.read(), response.headers.get("Link", "")
    def json(self):
        return json.loads(self.text)
    def raise_for_status(self):
        pass
    @property
    def links(self):
        return {name: {"url": url} for url, name in re.findall('<([^>]*)>; rel="([a-z]+)"', self.link)}

def get(url, params=None):
    return Response(urlopen(url + ("" if params is None else "?" + urlencode(params))))
`;

/** What the program uses of the package pandas. */
const pandas = `
class Column(list):
    def sum(self):
        return sum(self)

class DataFrame(list):
    def __getitem__(self, name):
        return Column(row[name] for row in list(self))
`;
