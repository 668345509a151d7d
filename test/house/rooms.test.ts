// Tests that the linter refuses imports that the rooms do not allow, and import cycles.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const biome = join(repository, "node_modules/.bin/biome");

let house: string;

beforeEach(async () => {
  house = await mkdtemp(join(tmpdir(), "house-"));
  await copyFile(join(repository, "biome.json"), join(house, "biome.json"));
});

afterEach(() => rm(house, { recursive: true }));

/** Writes modules that import as listed, lints them with the project's rules and returns what the linter prints. */
async function lint(imports: Readonly<Record<string, readonly string[]>>): Promise<string> {
  for (const [file, specifiers] of Object.entries(imports)) {
    await mkdir(dirname(join(house, file)), { recursive: true });
    const lines = specifiers.map((specifier, index) => `export * as part${index} from "${specifier}";\n`);
    await writeFile(join(house, file), `${lines.join("")}export const name = "${file}";\n`);
  }
  try {
    return execFileSync(
      biome,
      ["lint", "--vcs-enabled=false", "--colors=off", "--max-diagnostics=none", "."],
      {
        cwd: house,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  }
}

/** Files of the house with an import that the linter must refuse. */
const refused: readonly (readonly [file: string, specifier: string])[] = [
  ["api-static/contract/planted.ts", "../release/layout.ts"],
  ["api-static/contract/operations/planted.ts", "../../release/layout.ts"],
  ["api-static/contract/planted.ts", "../../pipeline/base/failure.ts"],
  ["api-static/openapi/planted.ts", "../search/plan.ts"],
  ["api-static/openapi/schemas/planted.ts", "../../search/plan.ts"],
  ["api-static/release/planted.ts", "../search/search.ts"],
  ["api-static/search/planted.ts", "../server/app.ts"],
  ["api-static/server/http/planted.ts", "../../../pipeline/base/failure.ts"],
  ["api-static/edge/cloudflare/planted.ts", "../../release/layout.ts"],
  ["api-static/edge/cloudflare/planted.ts", "../../server/app.ts"],
  ["site/src/docs/planted.ts", "../../../api-static/openapi/document.ts"],
  ["site/plugins/planted.ts", "../../api-static/server/app.ts"],
  ["pipeline/planted.ts", "../api-static/server/app.ts"],
  ["pipeline/warehouse/planted.ts", "../releases/manifest.ts"],
  ["pipeline/releases/planted.ts", "../parts/ingest.ts"],
  ["pipeline/releases/planted.ts", "../../api-static/server/app.ts"],
  ["pipeline/parts/planted.ts", "../verify/verify.ts"],
  ["pipeline/parts/planted.ts", "../sync.ts"],
  ["pipeline/verify/planted.ts", "../report/report.ts"],
  ["pipeline/report/planted.ts", "../verify/verify.ts"],
  ["pipeline/base/bucket/planted.ts", "../../releases/manifest.ts"],
  ["pipeline/delivery/planted.ts", "../report/report.ts"],
  ["pipeline/delivery/planted.ts", "../../api-static/server/app.ts"],
  ["pipeline/delivery/planted.ts", "../parts/build.ts"],
  ["pipeline/parts/planted.ts", "../delivery/publish.ts"],
  ["pipeline/base/planted.ts", "../releases/manifest.ts"],
  ["pipeline/parts/index/planted.ts", "../../verify/verify.ts"],
  ["pipeline/parts/pages/planted.ts", "../../settings.ts"],
  ["pipeline/planted.ts", "../tools/sample/sample.ts"],
  ["pipeline/irs/planted.ts", "../warehouse/files.ts"],
  ["pipeline/irs/planted.ts", "../../api-static/server/app.ts"],
  ["pipeline/parts/planted.ts", "../irs/parts.ts"],
  ["site/src/api/planted.ts", "../../../api-static/release/layout.ts"],
  ["site/src/search/planted.ts", "../../../pipeline/base/failure.ts"],
];

/** Files of the house with an import that the linter must accept. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  "api-static/contract/planted.ts": ["./ein.ts"],
  "api-static/contract/operations/planted.ts": ["../ein.ts", "../filters/table.ts", "./operation.ts"],
  "api-static/openapi/planted.ts": ["../contract/ein.ts"],
  "api-static/openapi/schemas/planted.ts": ["../../contract/ein.ts"],
  "api-static/release/planted.ts": ["../contract/ein.ts", "./layout.ts"],
  "api-static/search/planted.ts": ["../contract/ein.ts", "../release/layout.ts"],
  "api-static/server/http/planted.ts": ["../../search/plan.ts", "../../openapi/document.ts", "../app.ts"],
  "api-static/edge/cloudflare/planted.ts": ["../../contract/ein.ts", "./server.ts"],
  "site/src/docs/planted.ts": ["../../../api-static/contract/ein.ts"],
  "site/plugins/planted.ts": ["../../api-static/openapi/document.ts", "../../api-static/contract/ein.ts"],
  "pipeline/planted.ts": ["../api-static/search/plan.ts", "./parts/ingest.ts"],
  "pipeline/releases/planted.ts": ["../warehouse/files.ts", "../base/failure.ts"],
  "pipeline/warehouse/planted.ts": ["../base/bucket/bucket.ts"],
  "pipeline/delivery/planted.ts": [
    "../verify/verify.ts",
    "../releases/tables.ts",
    "../base/bucket/bucket.ts",
  ],
  "pipeline/parts/planted.ts": ["../releases/manifest.ts", "../warehouse/files.ts"],
  "pipeline/irs/planted.ts": [
    "../base/paths.ts",
    "../base/lock.ts",
    "../../api-static/release/systemErrors.ts",
  ],
  "site/src/api/planted.ts": ["../../../api-static/contract/names.ts", "./client.ts"],
  "pipeline/report/planted.ts": ["../parts/build.ts", "../../api-static/contract/ein.ts"],
};

describe("the rules of the rooms", () => {
  it("refuse an import from a room that may not be entered", async () => {
    const planted = refused.map(([file, specifier], index) => {
      const path = file.replace("planted", `planted${index}`);
      return { path, specifier };
    });
    const report = await lint(Object.fromEntries(planted.map(({ path, specifier }) => [path, [specifier]])));
    for (const { path, specifier } of planted)
      expect(report, `${path} imports ${specifier}`).toMatch(
        new RegExp(`${path}:1:\\d+ lint/style/noRestrictedImports`),
      );
  });

  it("accept what a room may import", async () => {
    expect(await lint(accepted)).not.toContain("noRestrictedImports");
  });

  it("refuse a cycle of imports, even of types", async () => {
    await lint({ "pipeline/parts/one.ts": [], "pipeline/parts/other.ts": [] });
    await writeFile(
      join(house, "pipeline/parts/one.ts"),
      'import type { Other } from "./other.ts";\nexport type One = Other;\n',
    );
    await writeFile(
      join(house, "pipeline/parts/other.ts"),
      'import type { One } from "./one.ts";\nexport type Other = One | 1;\n',
    );
    expect(await lint({})).toContain("lint/suspicious/noImportCycles");
  });
});
