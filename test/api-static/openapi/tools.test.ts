// Tests the OpenAPI document with third-party tools: a linter, a proxy that validates all traffic against it, and a
// generated client. The tools are installed in a separate package, `test/openapi`.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { normalizePath } from "../../../api-static/contract/query.ts";
import { paths } from "../../../api-static/contract/request.ts";
import { openapiText } from "../../../api-static/openapi/document.ts";
import { requestTable } from "../requestTable.ts";
import { repository, useRelease } from "../server/release.fixture.ts";
import { askRaw, readPort, type ServerProcess, startServer, until } from "../server/socket.fixture.ts";
import type { TableRequest } from "../tableRequest.ts";
import { isPinned } from "./breaks.ts";

const home = join(repository, "test/openapi");
const tool = (path: string) => join(home, "node_modules", path);
const isInstalled = existsSync(tool("@stoplight/prism-cli"));
if (!isInstalled) console.log("skipped: the OpenAPI tools are not installed; `make test` installs them");

const execute = promisify(execFile);
const quiet = {
  ...process.env,
  NO_COLOR: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
};
const run = (path: string, ...options: string[]) =>
  execute(process.execPath, [tool(path), ...options], { env: quiet });

describe.skipIf(!isInstalled)("the OpenAPI document", () => {
  const served = useRelease({ sampleRows: 1_000 });
  const started: ChildProcess[] = [];
  let folder = "";
  let document = "";
  let server: ServerProcess;
  let port = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "contract-"));
    server = startServer({ DATA: served().data, PORT: "0", LOG_LEVEL: "error" });
    started.push(server.child);
    port = await readPort(server);
    document = join(folder, "openapi.json");
    await writeFile(document, (await askRaw(port, "/openapi.json")).body);
  });
  afterAll(async () => {
    for (const child of started) child.kill();
    await rm(folder, { recursive: true, force: true });
  });

  /** A proxy in front of the server. It answers with its own error if traffic does not match the document. */
  async function startProxy(...options: string[]): Promise<number> {
    const proxy = [tool("@stoplight/prism-cli/dist/index.js"), "proxy", document, `http://127.0.0.1:${port}`];
    const child = spawn(process.execPath, [...proxy, "--errors", "--port", "0", ...options], {
      env: quiet,
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
      });
    return Number(
      (await until(() => /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? undefined))[1],
    );
  }

  /** Requests each row; returns the rows whose status, after the redirects that the proxy follows, is not the expected one. */
  async function findStrays(proxy: number, rows: readonly TableRequest[]): Promise<string[]> {
    const strays: string[] = [];
    for (const { path, status } of rows) {
      const answer = await askRaw(proxy, path);
      const expected = status === 308 ? 200 : status;
      if (answer.status !== expected) strays.push(`${path} ${answer.status} ${answer.body.subarray(0, 600)}`);
    }
    return strays;
  }

  it("is served unchanged", async () => {
    expect((await askRaw(port, "/openapi.json")).body.toString()).toBe(openapiText);
  });

  it("passes redocly's rules", async () => {
    const options = ["lint", "--config", join(home, "redocly.yaml"), "--format", "json", document];
    const { stdout } = await run("@redocly/cli/bin/cli.js", ...options);
    const { totals, problems } = JSON.parse(stdout);
    expect(problems).toStrictEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  it("describes all traffic: a validating proxy passes every request of the table, and refuses invalid ones", async () => {
    // The proxy replaces escapes that are not UTF-8, and adds an equals sign to each of a thousand names, which exceeds the longest URL.
    const isForwarded = ({ path }: TableRequest) => isUtf8(path) && path.length < 2_000 && isPlain(path);
    const forwarded = oneOfEachShape(requestTable(served().facts)).filter(isForwarded);
    const refused = forwarded.filter(({ status, code }) => status === 400 || code === "not_found");
    const { big, recipientEin, organizationEin } = served().facts;
    const { release } = served().release.facts;
    const others = [
      ...Object.values(paths).filter(
        (route) => !/\{|\/shared|\/groups|\/organizations|\/names$|\/preview|^\/mcp$/.test(route),
      ),
      `${paths.listSharedRecipients}?funders=${big.ein}`,
      `${paths.groupGrants}?by=recipient`,
      `${paths.exportGroups}?by=year&excel=1`,
      `/v1/funders/${big.ein}/history.csv?transaction_year=2020&formulas=escape`,
      `/v1/funders/${big.ein}/summary`,
      `/v1/recipients/${recipientEin}/summary`,
      `/v1/funders/${big.ein}/peers`,
      `/v1/recipients/${recipientEin}/peers`,
      `/v1/organizations/${organizationEin}`,
      `${paths.findOrganizations}?name=${organizationEin}`,
      `${paths.listNames}?eins=${big.ein},${organizationEin}`,
      `${paths.previewOrganization}?id=${organizationEin}`,
    ];
    const pinned = others.filter(isPinned).map((path) => `/r/${release}${path}`);
    const fine: TableRequest[] = [
      ...forwarded.filter((row) => !refused.includes(row)),
      ...[...others, ...pinned].map((path) => ({ path, status: 200 as const })),
    ];
    const [strict, lenient] = await Promise.all([startProxy(), startProxy("--validate-request=false")]);
    fine.push({ path: "/r/19990101T000000Z/v1/history", status: 404, code: "release_not_found" });
    const strays = await Promise.all([findStrays(strict, fine), findStrays(lenient, refused)]);
    expect(strays).toStrictEqual([[], []]);
    expect([fine.length > 40, refused.length > 3]).toStrictEqual([true, true]);
    expect((await askRaw(strict, "/v1/history?limit=5000")).status).toBe(422); // from the proxy
  });

  it("generates a client that compiles and walks a funder", async () => {
    const contract = join(folder, "contract.d.ts");
    await run("openapi-typescript/bin/cli.js", document, "--output", contract);
    const project = {
      extends: join(home, "tsconfig.json"),
      compilerOptions: { paths: { "grants-contract": [contract] } },
      files: [join(home, "walk.ts")],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(project));
    await run("typescript/bin/tsc", "--project", folder).catch(({ stdout }) => expect(stdout).toBe(""));

    const { facts, release, lines } = served();
    const { walk } = await import(join(home, "walk.ts"));
    const walked = await walk(`http://127.0.0.1:${port}`, facts.big.ein, facts.unknownEin);
    const ids = lines
      .map((line) => JSON.parse(line))
      .filter(({ funder_ein }) => funder_ein === facts.big.ein)
      .map(({ id }) => id);
    expect(walked).toStrictEqual({
      ids,
      total: facts.big.records,
      refusal: "invalid_parameter limit",
      missing: "funder_not_found",
      release: release.facts.release,
    });
  });
});

/** One request of each path, with each set of parameters and each status: the document describes those, not their values. */
function oneOfEachShape(rows: readonly TableRequest[]): TableRequest[] {
  const shapeOf = ({ path, status }: TableRequest) => {
    const [pathname = "", query] = path.split("?");
    return JSON.stringify([pathname, [...new URLSearchParams(query).keys()], status === 400 ? path : status]);
  };
  return [...new Map(rows.map((row) => [shapeOf(row), row])).values()];
}

/** True for a path without needless escapes and EINs without white space. The server takes both, but the document describes neither. */
function isPlain(path: string): boolean {
  const { pathname, searchParams } = new URL(path, "http://localhost");
  const isSpaced = [...searchParams].some(([name, value]) => name.endsWith("_ein") && /\s/.test(value));
  return normalizePath(pathname) === pathname && !isSpaced;
}

function isUtf8(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
