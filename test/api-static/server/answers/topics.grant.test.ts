// Tests answers with one grant: its record byte for byte, and the return that an import took it from.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { idsPerReturn } from "../../../../api-static/release/layout.ts";
import { Release } from "../../../../api-static/search/release.ts";
import { rowsPerReturn } from "../../../../pipeline/irs/objectIds.ts";
import { grantOf, importWell, member, objectId, putZip } from "../../../pipeline/irs/season.fixture.ts";
import { createTestApp, makeRelease, useRelease } from "../release.fixture.ts";

const served = useRelease({ sampleRows: 4_000 });

const idOf = (line: string) => /^\{"id":(-?\d+),/.exec(line)?.[1];

describe("a grant", () => {
  it("is the record, byte for byte, without a source in a warehouse that names none", async () => {
    const { askText, lines } = served();
    const step = Math.ceil(lines.length / 20);
    for (const line of lines.filter((_, index) => index % step === 0))
      expect(await askText(`/v1/grants/${idOf(line)}`)).toBe(
        `{"success":true,"data":${line},"source":null}\n`,
      );
  });
});

describe("the source of a grant", () => {
  it("is the return that an import read, with the row", async () => {
    const home = await mkdtemp(join(tmpdir(), "grant-"));
    const moment = new Date("2026-11-20T04:00:00Z");
    const [id, formless] = [objectId(332, 100), "no-object-id"];
    const grants = [grantOf("FIRST SCHOOL", "500"), grantOf("SECOND SCHOOL", "700")];
    const zip = putZip(home, "2023_TEOS_XML_11A.zip", [
      member(id, { grants }),
      member(formless, { ein: "131635294", grants: [grantOf("THIRD SCHOOL", "900")] }),
    ]);
    await importWell(zip, join(home, "warehouse"));
    const release = await Release.open(
      await makeRelease(join(home, "data"), join(home, "warehouse"), moment),
    );
    try {
      const app = createTestApp(release);
      expect(JSON.parse(await (await app.request("/v1/status")).text()).returns).toBe(1);
      const { data } = JSON.parse(await (await app.request("/v1/history")).text());
      const sources = await Promise.all(
        data.map(async (grant: { id: number; recipient_name: string }) => {
          const answer = JSON.parse(await (await app.request(`/v1/grants/${grant.id}`)).text());
          expect(answer.data).toStrictEqual(grant);
          return [grant.recipient_name, answer.source];
        }),
      );
      const source = {
        ...{ object_id: id, form: "990", zip: "2023_TEOS_XML_11A.zip" },
        period: expect.stringMatching(/^\d{4}-\d{2}$/),
      };
      expect(Object.fromEntries(sources)).toStrictEqual({
        "FIRST SCHOOL": { ...source, row: 0 },
        "SECOND SCHOOL": { ...source, row: 1 },
        "THIRD SCHOOL": null,
      });
    } finally {
      release.leave();
      await rm(home, { recursive: true });
    }
  });

  it("is found by as many ids as an import gives each return", () => {
    expect(idsPerReturn).toBe(rowsPerReturn);
  });
});
