// Runs the protocol's own conformance tests against the server. They are installed in a separate package, `test/openapi`.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository, useRelease } from "../release.fixture.ts";
import { readPort, type ServerProcess, startServer } from "../socket.fixture.ts";

const runner = join(repository, "test/openapi/node_modules/@modelcontextprotocol/conformance/dist/index.js");
const isInstalled = existsSync(runner);
if (!isInstalled)
  console.log("skipped: the conformance tests are not installed; `make proofs` installs them");

const execute = promisify(execFile);
const run = async (...options: string[]) => (await execute(process.execPath, [runner, ...options])).stdout;

/** The scenarios that a server with tools must pass. */
const scenarios = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

describe.skipIf(!isInstalled)("the conformance tests", () => {
  const served = useRelease({ sampleRows: 1_000 });
  let server: ServerProcess;
  let url = "";
  beforeAll(async () => {
    server = startServer({ DATA: served().data, PORT: "0", LOG_LEVEL: "error" });
    url = `http://127.0.0.1:${await readPort(server)}/mcp`;
  });
  afterAll(() => {
    server.child.kill();
  });

  it.each(scenarios)("pass: %s", async (scenario) => {
    expect(await run("server", "--url", url, "--scenario", scenario)).toMatch(
      /Passed: (\d+)\/\1, 0 failed, 0 warnings/,
    );
  });

  it("have no other scenarios of stateless servers and caching, which would apply", async () => {
    expect(await run("list")).not.toMatch(/^ +- (?:server-stateless|caching)\b/m);
  });
});
