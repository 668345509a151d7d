// Tests which searches get page files, and which pages of each.
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { searchName } from "../../../../api-static/contract/operations/searches.ts";
import { chooseSearches } from "../../../../pipeline/parts/pages/searches.ts";
import { pagesOfSearch } from "../../../../pipeline/parts/pages/searchPages.ts";
import type { SearchSettings } from "../../../../pipeline/releases/manifest.ts";
import { syncHere } from "../../trust.fixture.ts";
import { useFolder, useParquet } from "../../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { connection, put } = useParquet(folder);

const settings: SearchSettings = { recipients: 2, purposes: 3, learned: 5, smallPages: 1, largePages: 1 };
let release = "";

beforeAll(async () => {
  const changes = {
    id: "i",
    recipient_ein:
      "CASE WHEN i % 10 < 5 THEN '000000007' WHEN i % 10 < 8 THEN '20-0253310' WHEN i % 10 < 9 THEN '300000000' END",
    purpose:
      "CASE WHEN i < 40 THEN 'General  Support' WHEN i < 60 THEN repeat('x', 201) WHEN i < 75 THEN 'Café & Bar' WHEN i < 85 THEN repeat('é', 100) WHEN i < 90 THEN 'B' WHEN i < 95 THEN 'a' END",
  };
  const warehouse = await put("w.parquet", changes, "FROM range(100) t(i)");
  release = await syncHere(warehouse, `${folder.root}/data`);
});

async function choose(
  changes: Partial<SearchSettings> = {},
  learned: Parameters<typeof chooseSearches>[3] = [],
) {
  const chosen = await chooseSearches(connection(), release, [2021, 2020], learned, {
    ...settings,
    ...changes,
  });
  for (const [name, filters] of chosen) expect(searchName(filters)).toBe(name);
  return [...chosen.keys()];
}

const standard = [
  "all",
  ...[2021, 2020].flatMap((year) => [
    `transaction_year=${year}`,
    ...["10000.00", "100000.00", "1000000.00"].map(
      (amount) => `transaction_year=${year}&min_amount=${amount}`,
    ),
  ]),
];

describe("the searches of a release", () => {
  it("are all grants, years, years with minimum amounts, recipients of most grants, frequent purposes", async () => {
    expect(await choose()).toEqual([
      ...standard,
      ...["recipient_ein=000000007", "recipient_ein=200253310"],
      // A purpose of 201 letters is too long for a request, one of 100 accents too long for a file's name.
      ...["purpose=general++support", "purpose=caf%C3%A9+%26+bar"],
    ]);
    expect(await choose({ recipients: 9, purposes: 5 })).toEqual([
      ...standard,
      ...["recipient_ein=000000007", "recipient_ein=200253310", "recipient_ein=300000000"],
      ...["purpose=general++support", "purpose=caf%C3%A9+%26+bar", "purpose=a", "purpose=b"],
    ]);
  });

  it("include the learned ones, each once", async () => {
    const learned = [{ transactionYear: 2020 }, { purpose: "music" }, { purpose: "m".repeat(200) }];
    expect(await choose({ recipients: 0, purposes: 0 }, learned)).toEqual([...standard, "purpose=music"]);
  });

  it("are empty if no pages are wanted", async () => {
    expect(await choose({ smallPages: 0, largePages: 0 }, [{ purpose: "music" }])).toEqual([]);
  });
});

describe("the pages of a search", () => {
  it("are the first ones of each size, up to the last record; large ones only beyond 100 records", () => {
    fc.assert(
      fc.property(fc.nat(2_500), fc.nat(12), fc.nat(3), (found, smallPages, largePages) => {
        const pages = pagesOfSearch("all", found, { ...settings, smallPages, largePages });
        const expected = [
          ...Array.from({ length: smallPages }, (_, page) => [100, page * 100] as const),
          ...Array.from({ length: largePages }, (_, page) => [1000, page * 1000] as const),
        ].filter(([limit, offset]) => offset < found && (limit === 100 || found > 100));
        expect(pages).toEqual(
          expected.map(([limit, from]) => ({
            key: `v1/history/all/${limit}-${from}.json`,
            ...{ limit, from, to: Math.min(found, from + limit) },
          })),
        );
      }),
    );
  });
});
