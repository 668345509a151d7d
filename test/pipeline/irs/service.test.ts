// Tests the way from a zip to an answer: import, sync and serve.
import { join } from "node:path";
import { expect, it } from "vitest";
import { Release } from "../../../api-static/search/release.ts";
import { createTestApp } from "../../api-static/server/release.fixture.ts";
import { runCommand } from "../release.fixture.ts";
import { findRelease } from "../trust.fixture.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import { importWell, member, objectId, putZip } from "./season.fixture.ts";

const folder = useFolder();

it("a grant in a zip is an answer of the service, with its funder's name", async () => {
  const zip = putZip(folder.home, "2023_TEOS_XML_01A.zip", [
    member(
      objectId(135, 42),
      {
        ein: "131684331",
        line1: "THE GIVING",
        line2: "FOUNDATION",
        filedAt: "2023-05-15T10:00:00-05:00",
        grants: [
          {
            kind: "organizations",
            line1: "CITY",
            line2: "FOOD BANK",
            ein: "012345678",
            amount: "5000",
            purpose: "FOOD & SHELTER",
          },
          { kind: "organizations", line1: "SCHOOL", nonCash: "700", description: "BOOKS" },
        ],
      },
      { method: 9 },
    ),
  ]);
  const [warehouse, data] = [join(folder.home, "warehouse"), join(folder.home, "data")];
  await importWell(zip, warehouse);
  const ended = await runCommand(["sync"], { WAREHOUSE: warehouse, DATA: data });
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stderr).not.toContain("warning");
  const release = await Release.open(await findRelease(data));
  try {
    const app = createTestApp(release);
    const ask = async (path: string) => (await app.fetch(new Request(`http://127.0.0.1${path}`))).text();
    const text = await ask("/v1/history?recipient_name=food%20bank&purpose=shelter&min_amount=5000");
    expect(text).toContain(
      '{"id":4135111895810048,"funder_ein":"131684331","transaction_year":2022,"recipient_name":"CITY FOOD BANK","recipient_ein":"012345678","type":"Schedule I","amount":5000.00,"non_cash_amount":null,"non_cash_description":null,"purpose":"FOOD & SHELTER","created_at":"2023-05-15T15:00:00Z"}',
    );
    expect(JSON.parse(text)).toMatchObject({ total: 1 });
    expect(JSON.parse(await ask("/v1/funders/131684331/history"))).toMatchObject({
      total: 2,
      data: [{ amount: 5000 }, { amount: 0, non_cash_amount: 700, non_cash_description: "BOOKS" }],
    });
    expect(await ask("/v1/organizations/131684331")).toContain('"name":"THE GIVING FOUNDATION"');
  } finally {
    release.leave();
  }
});
