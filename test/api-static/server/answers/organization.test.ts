// Tests the responses about organizations, on a release with some and on one without.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parts } from "../../../../api-static/release/layout.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { useRelease } from "../release.fixture.ts";

describe("an organization", () => {
  const served = useRelease({ sampleRows: 4_000 });

  it("is answered with its EIN, name, city and state", async () => {
    const { folder, ask } = served();
    const lines = readFileSync(join(folder, parts.organizations), "utf8").split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      const { ein } = JSON.parse(line) as { ein: string };
      const answer = await ask(`/v1/organizations/${ein}`);
      expect([answer.status, await answer.text()]).toEqual([200, `{"success":true,"data":${line}}\n`]);
    }
  });

  it("is cached, validated, compressed and readable by any page, like a summary", async () => {
    const { ask, facts, release } = served();
    const path = `/v1/organizations/${facts.organizationEin}`;
    const plain = await ask(path);
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control":
        "public, max-age=300, s-maxage=19800, stale-while-revalidate=3600, stale-if-error=86400",
      "content-type": "application/json; charset=utf-8",
      vary: "Accept-Encoding",
      "x-release": release.facts.release,
    });
    const etag = String(plain.headers.get("ETag"));
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect((await ask(path, { "If-None-Match": etag })).status).toBe(304);
    const packed = await ask(path, { "Accept-Encoding": "gzip" });
    const body = packed.headers.get("Content-Encoding") === "gzip" ? gunzipSync(await packed.bytes()) : "";
    expect(body.toString() || (await packed.text())).toBe(await plain.text());
  });

  it("that is not known is 404, which caches keep for a minute", async () => {
    const answer = await served().ask(`/v1/organizations/${served().facts.unknownEin}`);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=60");
    const { code } = (await answer.json()) as { code: string };
    expect([answer.status, code]).toEqual([404, "organization_not_found"]);
  });
});

describe.skipIf(!isRealTested("organizations"))("a release without organizations", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("answers 404 for every EIN, and everything else", async () => {
    const { ask, facts } = served();
    expect(facts.organizationEin).toBeUndefined();
    const answer = await ask(`/v1/organizations/${facts.big.ein}`);
    const { code } = (await answer.json()) as { code: string };
    expect([answer.status, code]).toEqual([404, "organization_not_found"]);
    expect((await ask(`/v1/funders/${facts.big.ein}/summary`)).status).toBe(200);
  });
});
