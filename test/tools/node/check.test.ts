// Tests what `make` reports if npm installed no Node.js and the machine's own is too old.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../../api-static/server/release.fixture.ts";
import { writeCertificate } from "../../certificate.fixture.ts";
import { inherited } from "../../inherited.ts";
import { isInstalled } from "../../programs.ts";

const isOpensslInstalled = isInstalled("openssl", "the report of a registry with an unknown certificate");

let root = "";
/** Makes the platform of the process one that no package is for. */
const oddPlatform = 'Object.defineProperty(process, "arch", { value: "pdp11" });';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "node-check-"));
  mkdirSync(join(root, "tools/node"), { recursive: true });
  cpSync(join(repository, "Makefile"), join(root, "Makefile"));
  for (const file of ["package.json", "package-lock.json", "check.cjs"])
    cpSync(join(repository, "tools/node", file), join(root, "tools/node", file));
});

afterAll(() => rm(root, { recursive: true }));

type Ended = { readonly code: number; readonly output: string };

/** Runs a program with a Node.js on PATH that takes itself for version 20. */
async function run(program: string, options: readonly string[], registry: string, more = ""): Promise<Ended> {
  const bin = join(root, "bin");
  mkdirSync(bin, { recursive: true });
  const version = 'Object.defineProperty(process.versions, "node", { value: "20.0.0" });';
  writeFileSync(join(bin, "old.cjs"), version + more);
  writeFileSync(join(bin, "node"), `#!/bin/sh\nexec "${process.execPath}" --require "${bin}/old.cjs" "$@"\n`);
  chmodSync(join(bin, "node"), 0o755);
  const { PATH = "" } = process.env;
  const env = {
    ...inherited(),
    PATH: bin + delimiter + PATH,
    npm_config_cache: join(root, "cache"),
    npm_config_fetch_retries: "0",
    npm_config_registry: registry,
  };
  return promisify(execFile)(program, [...options], { cwd: root, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

describe("make, if npm installed no Node.js and the machine's own is too old,", () => {
  it.skipIf(!isOpensslInstalled)(
    "shows npm's own error if the registry's certificate is unknown",
    async () => {
      const { key, cert } = writeCertificate(root);
      const registry = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
        response.writeHead(404).end("{}");
      });
      registry.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
      await once(registry, "listening");
      const { port } = registry.address() as AddressInfo;
      const { code, output } = await run(
        "make",
        ["tools/node/node_modules/.package-lock.json"],
        `https://127.0.0.1:${port}/`,
      );
      registry.close();
      expect(code).toBe(2);
      expect(output).toContain("SELF_SIGNED_CERT");
      expect(output).toMatch(/npm could not download node-\S+@\d+\.\d+\.\d+: see its error above/);
      expect(output).not.toContain("npm has no Node.js package");
    },
  );

  it("reports a platform without a package", async () => {
    const { code, output } = await run("node", ["tools/node/check.cjs"], "http://127.0.0.1:1/", oddPlatform);
    expect([code, output]).toStrictEqual([
      2,
      expect.stringMatching(/npm has no Node\.js package for \S+ on pdp11\./),
    ]);
  });
});
