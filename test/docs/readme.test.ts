// Tests that README's examples are the API's answers over the sample that `make start` writes, and that README stays short.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSampleSettings } from "../../tools/sample/main.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { readPort, useServers } from "../api-static/server/socket.fixture.ts";
import { fewSearches } from "../pipeline/release.fixture.ts";
import { syncHere } from "../pipeline/trust.fixture.ts";
import { findBlocks, readDocument } from "./markdown.fixture.ts";

const startServer = useServers();
const readme = readDocument("README.md");

it("README has at most 120 lines", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

it("each curl of README gets README's answer from the default sample", async () => {
  const blocks = findBlocks(readme).map(({ code }) => code);
  const calls = blocks.flatMap((call, index) => {
    const [, url] = /^curl '(.*)'$/.exec(call.trim()) ?? [];
    return url === undefined ? [] : [{ url: new URL(url), answer: blocks[index + 1] }];
  });
  expect(calls.length).toBe(3);
  const home = await mkdtemp(join(tmpdir(), "readme-"));
  onTestFinished(() => rm(home, { recursive: true })); // after the server, which writes its log of searches there
  const [OUT, DATA] = [join(home, "warehouse"), join(home, "data")];
  await writeSample(readSampleSettings({ OUT, MEMORY: "1GB" }));
  await syncHere(OUT, DATA, fewSearches);
  const port = await readPort(startServer({ DATA, PORT: "0" }));
  for (const { url, answer } of calls) {
    const response = await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`);
    expect((await response.text()).trimEnd()).toBe(answer?.trimEnd());
  }
});
