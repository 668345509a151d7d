// Tests that no module imports from a room that its own may not enter. The linter refuses cycles.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../docs/markdown.fixture.ts";

/** The rooms of the site that no page is in, which any page may use. */
const shared = ["address", "api", "charts", "names", "parts", "text"].map((room) => `site/src/${room}`);
const sharedAndContract = ["api-static/contract", "site/pages.ts", "site/src/styles", ...shared];

/** The rooms from which a room may import, besides itself. Some rooms are a single file. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "api-static/contract": ["package.json"],
  "api-static/openapi": ["api-static/contract"],
  "api-static/release": ["api-static/contract"],
  "api-static/search": ["api-static/contract", "api-static/release"],
  "api-static/server": ["api-static"],
  "api-static/edge": ["api-static/contract"],
  pipeline: ["api-static/contract"],
  "pipeline/base": ["api-static/contract", "api-static/release"],
  "pipeline/irs": ["api-static/contract", "pipeline/base"],
  "pipeline/warehouse": ["api-static/contract", "api-static/release", "pipeline/base"],
  "pipeline/match": ["api-static/contract", "pipeline/base", "pipeline/warehouse"],
  "pipeline/releases": ["api-static/contract", "api-static/release", "pipeline/base", "pipeline/warehouse"],
  "pipeline/parts": [
    "api-static/contract",
    "api-static/openapi",
    "api-static/release",
    "api-static/search",
    "pipeline/base",
    "pipeline/match",
    "pipeline/releases",
    "pipeline/warehouse",
  ],
  "pipeline/verify": [
    ...[
      "api-static/contract",
      "api-static/release",
      "api-static/search",
      "pipeline/base",
      "pipeline/releases",
    ],
  ],
  "pipeline/report": [
    "api-static/contract",
    "api-static/release",
    "pipeline/base",
    "pipeline/parts",
    "pipeline/releases",
    "pipeline/warehouse",
  ],
  "pipeline/delivery": [
    "api-static/contract",
    "api-static/release",
    "api-static/search",
    "pipeline/base",
    "pipeline/releases",
    "pipeline/verify",
  ],
  site: ["api-static/contract"],
  "site/plugins": ["site", "api-static/contract", "api-static/openapi"],
  ...Object.fromEntries(shared.map((room) => [room, sharedAndContract])),
  "site/src/groups": sharedAndContract,
  "site/src/publish": sharedAndContract,
  "site/src/search": [...sharedAndContract, "site/src/groups", "site/src/publish", "site/src/shell"],
  "site/src/organization": [
    ...[...sharedAndContract, "site/src/groups", "site/src/publish", "site/src/search", "site/src/shell"],
  ],
  "site/src/compare": [...sharedAndContract, "site/src/shell"],
  "site/src/status": [...sharedAndContract, "site/src/shell"],
  "site/src/api/client.ts": ["site", "api-static/contract", "api-static/openapi"],
};

const isIn = (path: string, room: string) => path === room || path.startsWith(`${room}/`);

/** The room of a module: the innermost that holds it. */
const roomOf = (path: string) =>
  Object.keys(rooms)
    .filter((room) => isIn(path, room))
    .reduce((inner, room) => (room.length > inner.length ? room : inner), "");

/** The modules that a module of this text imports from rooms that it may not enter. */
function findForbidden(path: string, text: string): string[] {
  const room = roomOf(path);
  const allowed = [room, ...(rooms[room] ?? [])];
  const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)];
  return imported
    .map(([, specifier]) => normalize(join(dirname(path), specifier as string)))
    .filter((target) => !allowed.some((one) => isIn(target, one)));
}

describe("the rooms", () => {
  const modules = globSync(["{api-static,pipeline,site}/**/*.{ts,tsx}"], { cwd: repository }).filter(
    (path) => !path.includes("node_modules") && !path.includes("/dist/"),
  );

  it("are entered only by those that may", () => {
    expect(modules.length).toBeGreaterThan(300);
    const found = modules.map((path) => [
      path,
      findForbidden(path, readFileSync(join(repository, path), "utf8")),
    ]);
    expect(found.filter(([, forbidden]) => forbidden?.length)).toStrictEqual([]);
  });

  it.each([
    [
      "api-static/contract/one.ts",
      'import type { A } from "../release/layout.ts";',
      "api-static/release/layout.ts",
    ],
    ["pipeline/parts/pages/one.ts", 'export * from "../../sync.ts";', "pipeline/sync.ts"],
    ["pipeline/sync.ts", 'await import("../tools/sample/sample.ts");', "tools/sample/sample.ts"],
    [
      "site/src/api/calls.ts",
      'import "../../../api-static/openapi/document.ts";',
      "api-static/openapi/document.ts",
    ],
    ["site/src/parts/one.tsx", 'import { two } from "../search/fields.ts";', "site/src/search/fields.ts"],
  ])("of %s cannot take %s", (path, text, target) => {
    expect(findForbidden(path, text)).toStrictEqual([target]);
  });
});
