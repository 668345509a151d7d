// Tests the log: one JSON object per line, levels, and what goes to which stream of the process.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLog, type LogLevel, logLevels } from "../../../../api-static/server/observe/log.ts";
import { spreadOf } from "../../../proofs.ts";
import { fixedNow } from "../release.fixture.ts";
import { askRaw, readMetricsPort, readPort, startServer } from "../socket.fixture.ts";

function linesAt(level: LogLevel): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createLog(level, () => fixedNow, { write: (line) => lines.push(line) });
  log.error("failed", { err: new TypeError("broken\nin two") });
  log.warn("careful");
  log.info('quote " and line\nend', { status: 200 });
  log.debug("aside");
  for (const line of lines) expect(line.indexOf("\n")).toBe(line.length - 1);
  return lines.map((line) => JSON.parse(line));
}

describe("a log", () => {
  it("writes one JSON object per line: level, time, fields, message", () => {
    const [failure, , info] = linesAt("debug");
    const time = fixedNow.toISOString();
    expect(info).toStrictEqual({ level: "info", time, status: 200, message: 'quote " and line\nend' });
    expect(failure).toMatchObject({
      level: "error",
      err: { type: "TypeError", message: "broken\nin two", stack: expect.stringContaining("log.test.ts") },
    });
  });

  it("omits lines below its level", () => {
    expect(logLevels.map((level) => [level, linesAt(level).length])).toStrictEqual([
      ["error", 1],
      ["warn", 2],
      ["info", 3],
      ["debug", 4],
      ["silent", 0],
    ]);
  });
});

describe("the server process", () => {
  it("writes every JSON line, and nothing else, to stdout, and the lines for people to stderr", async () => {
    const data = await mkdtemp(join(tmpdir(), "log-"));
    const server = startServer({ DATA: data, PORT: "0" });
    const streams = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      server.child[name]?.on("data", (chunk: string) => {
        streams[name] += chunk;
      });
    const port = await readPort(server);
    const metricsPort = await readMetricsPort(server);
    for (let index = 0; index < 50; index++)
      await askRaw(port, `/v1/status?${index}`, { "X-Request-Id": `r${index}`, Connection: "close" });
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    await rm(data, { recursive: true });
    expect(streams.stderr).toBe(
      `serving ${data} at http://127.0.0.1:${port} (no release yet: run make sync)\nmetrics at http://127.0.0.1:${metricsPort}/metrics\n`,
    );
    const lines = streams.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const ids = lines.flatMap(({ request_id }) => (request_id === undefined ? [] : [request_id]));
    expect(ids).toStrictEqual(Array.from({ length: 50 }, (_, index) => `r${index}`));
  });

  it.each(spreadOf("requests without a reader of the log", [20, 1], 2))(
    "keeps serving, and exits, if the reader of its log is gone: %d requests",
    async (requests) => {
      const data = await mkdtemp(join(tmpdir(), "log-"));
      const server = startServer({ DATA: data, PORT: "0" });
      const port = await readPort(server);
      server.child.stdout?.destroy();
      for (let index = 0; index < requests; index++)
        expect((await askRaw(port, "/v1/status")).status).toBe(503);
      server.child.kill("SIGTERM");
      expect(await server.ended).toBe(0);
      await rm(data, { recursive: true });
    },
  );

  it("keeps serving, and exits, if the reader of its log has stopped reading", async () => {
    const data = await mkdtemp(join(tmpdir(), "log-"));
    const server = startServer({ DATA: data, PORT: "0" });
    const port = await readPort(server);
    server.child.stdout?.pause();
    for (let round = 0; round < 100; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => askRaw(port, `/?${"p".repeat(500)}`)),
      );
      expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([503])); // 1 MB of lines in all
    }
    const exited = once(server.child, "exit");
    server.child.kill("SIGTERM");
    expect(await exited).toStrictEqual([0, null]);
    server.child.stdout?.resume();
    await server.ended;
    await rm(data, { recursive: true });
  });
});
