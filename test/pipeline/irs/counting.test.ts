// Tests which returns count, and the rows of the warehouse.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import {
  grantOf,
  importWell,
  member,
  memberName,
  objectId,
  putZip,
  query,
  readGrants,
  readStatuses,
} from "./season.fixture.ts";

const folder = useFolder();

const [early, late] = ["2023-05-15T10:00:00-05:00", "2023-09-01T10:00:00-05:00"];

/** Imports members as one zip; returns the warehouse's folder. */
async function importMembers(...entries: Parameters<typeof putZip>[2]): Promise<string> {
  const out = join(folder.home, "warehouse");
  await importWell(putZip(folder.home, "a.zip", entries), out);
  return out;
}

describe("which return counts", () => {
  it("is the one filed last, even if its OBJECT_ID is lower", async () => {
    const [lower, higher] = [objectId(100, 1), objectId(200, 2)];
    const out = await importMembers(
      member(lower, { filedAt: late, isAmended: true, grants: [grantOf("AMENDED", "2")] }),
      member(higher, { filedAt: early, grants: [grantOf("ORIGINAL", "1")] }),
    );
    expect(await readGrants(out)).toEqual(["AMENDED 2.00 2022"]);
    expect(await readStatuses(out)).toEqual({
      [memberName(lower)]: "counts",
      [memberName(higher)]: "superseded",
    });
  });

  it("is the one with the higher OBJECT_ID if both were filed at the same time", async () => {
    const out = await importMembers(
      member(objectId(200, 2), { grants: [grantOf("SECOND", "2")] }),
      member(objectId(100, 1), { grants: [grantOf("FIRST", "1")] }),
    );
    expect(await readGrants(out)).toEqual(["SECOND 2.00 2022"]);
  });

  it("is one for each period, form and kind of return, also within one tax year", async () => {
    const out = await importMembers(
      member(objectId(1, 1), { grants: [grantOf("YEAR", "1")] }),
      member(objectId(1, 2), { periodEnd: "2022-06-30", grants: [grantOf("SHORT YEAR", "2")] }),
      member(objectId(1, 3), { isGroup: true, grants: [grantOf("GROUP", "3")] }),
      member(objectId(1, 4, 1), { form: "990PF", grants: [{ kind: "paid", person: "PF", amount: "4" }] }),
      member(objectId(1, 5), { ein: "999999998", grants: [grantOf("OTHER FILER", "5")] }),
    );
    expect((await readGrants(out)).sort()).toEqual(
      [
        "GROUP 3.00 2022",
        "OTHER FILER 5.00 2022",
        "PF 4.00 2022",
        "SHORT YEAR 2.00 2022",
        "YEAR 1.00 2022",
      ].sort(),
    );
  });

  it("is never one of another form, and other forms are counted as such", async () => {
    const other = (number: number, type: string) => {
      const { content, ...rest } = member(objectId(9, number), { filedAt: late, grants: [] });
      return { ...rest, content: Buffer.from(content.toString().replaceAll(/(?<=IRS|TypeCd>)990/g, type)) };
    };
    const out = await importMembers(
      member(objectId(1, 1), { filedAt: early, grants: [grantOf("STAYS", "1")] }),
      ...["4720", "8868", "1120-POL", "NEVERSEEN"].map((type, index) => other(index + 2, type)),
    );
    expect(await readGrants(out)).toEqual(["STAYS 1.00 2022"]);
    const { byStatus, byFormAndYear } = JSON.parse(await readFile(join(`${out}.irs`, "report.json"), "utf8"));
    expect(byStatus).toEqual([{ status: "counts", returns: 5 }]);
    expect(byFormAndYear).toEqual([
      { form: "990", year: 2022, returns: 1, counting: 1 },
      { form: "other", year: 2022, returns: 4, counting: 4 },
    ]);
  });

  it("keeps the grants of the earlier return if an amended one states grants but lists none", async () => {
    const out = await importMembers(
      member(objectId(1, 1), { grants: [grantOf("OLDEST", "1")] }),
      member(objectId(2, 2), { filedAt: late, grants: [grantOf("KEPT", "2")] }),
      member(objectId(3, 3), { filedAt: "2023-10-01T10:00:00Z", isAmended: true, stated: "2", grants: [] }),
      member(objectId(4, 4), { ein: "999999998", grants: [grantOf("WITHDRAWN", "4")] }),
      member(objectId(5, 5), { ein: "999999998", filedAt: late, isAmended: true, stated: "0", grants: [] }),
    );
    expect(await readGrants(out)).toEqual(["KEPT 2.00 2022"]);
    expect(await readStatuses(out)).toMatchObject({
      [memberName(objectId(1, 1))]: "superseded",
      [memberName(objectId(2, 2))]: "superseded, grants kept",
      [memberName(objectId(3, 3))]: "counts",
    });
  });

  it("keeps the earlier rows of each table that an amended one states but does not list", async () => {
    const out = await importMembers(
      member(objectId(1, 1), {
        grants: [
          grantOf("OLD", "1"),
          { kind: "individuals", amount: "2", purpose: "KEPT" },
          { kind: "foreign", amount: "3", region: "EUROPE" },
        ],
      }),
      member(objectId(2, 2), {
        ...{ filedAt: late, isAmended: true, stated: "4", statedIndividuals: "2", statedForeign: "0" },
        grants: [grantOf("NEW", "4")],
      }),
    );
    const rows = await query(
      "SELECT concat_ws(' ', type, amount) AS text FROM read_parquet($path) ORDER BY id",
      join(out, "grants-0000.parquet"),
    );
    expect(rows.map(({ text }) => text)).toEqual(["Schedule I individuals 2.00", "Schedule I 4.00"]);
  });

  it("is never one that is cut off, if there is a whole one", async () => {
    const cut = ({ name, content, ...rest }: ReturnType<typeof member>) => ({
      ...{ ...rest, name, content: content.subarray(0, content.indexOf("</ReturnData>")) },
    });
    const copied = member(objectId(1, 1), { grants: [grantOf("WHOLE COPY", "1")] });
    const later = { ein: "999999998", filedAt: late };
    const out = await importMembers(
      cut(copied),
      copied,
      member(objectId(2, 2), { ein: "999999998", filedAt: early, grants: [grantOf("WHOLE RETURN", "2")] }),
      cut(member(objectId(3, 3), { ...later, grants: [grantOf("CUT OFF", "3")] })),
    );
    expect(await readGrants(out)).toEqual(["WHOLE COPY 1.00 2022", "WHOLE RETURN 2.00 2022"]);
  });

  it("is one of several copies, and the later one if they differ", async () => {
    const equal = member(objectId(1, 1), { grants: [grantOf("EQUAL", "1"), grantOf("EQUAL", "1")] });
    const [old, recent] = [early, late].map((filedAt, index) =>
      member(objectId(2, 2), { ein: "999999998", filedAt, grants: [grantOf(`VERSION ${index}`, "2")] }),
    );
    putZip(folder.home, "a.zip", [equal, recent as typeof equal, equal]);
    putZip(folder.home, "b.zip", [equal, old as typeof equal]);
    const out = join(folder.home, "warehouse");
    await importWell(folder.home, out);
    expect(await readGrants(out)).toEqual(["EQUAL 1.00 2022", "EQUAL 1.00 2022", "VERSION 1 2.00 2022"]);
    expect(await readStatuses(out)).toEqual({
      [memberName(objectId(1, 1))]: "counts + repeated + repeated",
      [memberName(objectId(2, 2))]: "counts + repeated, different",
    });
  });
});

describe("a row of the warehouse", () => {
  it("has its return's exact sum beside it, also if that has more than 18 digits", async () => {
    const longest = "9999999999999999"; // dollars, as many as the warehouse holds
    const out = await importMembers(
      member(objectId(1, 1), { grants: [grantOf("A", longest), grantOf("B", longest)] }),
      member(objectId(1, 2), { ein: "999999998", grants: [grantOf("C", `-${longest}`)] }),
      member(objectId(1, 3), { ein: "999999997", grants: [grantOf("D", "0.05")] }),
    );
    const sums = await query(
      "SELECT paid_total::VARCHAR AS sum FROM read_parquet($path) ORDER BY return_id",
      join(`${out}.irs`, "returns.parquet"),
    );
    expect(sums.map(({ sum }) => sum)).toEqual(["19999999999999998.00", "-9999999999999999.00", "0.05"]);
  });

  it("has the fields as filed", async () => {
    const out = await importMembers(
      member(objectId(135, 7), {
        line2: "OF TAMPA",
        ...{ revenue: "90", expenses: "80", assets: "-70", grantsPaid: "60", mission: "TO GIVE" },
        grants: [
          { kind: "empty" },
          {
            kind: "organizations",
            line1: "FOOD",
            line2: "BANK",
            ein: "012345678",
            amount: "-5",
            nonCash: "999999999999999",
            description: "RICE",
            purpose: "A & B",
          },
          { kind: "individuals", amount: "7", purpose: "SCHOLARSHIPS" },
        ],
      }),
    );
    const common = {
      funder_ein: "012345678",
      transaction_year: 2022,
      created_at: "2023-05-15 15:00:00",
      irs_return: `${objectId(135, 7)} 990 2022-12 a.zip`,
      ...{ recipient_country: null, recipient_status: null, recipient_relationship: null },
    };
    const rows = await query("FROM read_parquet($path) ORDER BY id", join(out, "grants-0000.parquet"));
    expect(rows.map(({ id, ...row }) => row)).toEqual([
      {
        ...common,
        ...{ recipient_city: "MIAMI", recipient_state: "FL", recipient_zip: "33101" },
        recipient_name: "FOOD BANK",
        recipient_ein: "012345678",
        type: "Schedule I",
        amount: "-5.00",
        non_cash_amount: "999999999999999.00",
        non_cash_description: "RICE",
        purpose: "A & B",
      },
      {
        ...common,
        ...{ recipient_city: null, recipient_state: null, recipient_zip: null },
        recipient_name: null,
        recipient_ein: null,
        type: "Schedule I individuals",
        amount: "7.00",
        non_cash_amount: null,
        non_cash_description: null,
        purpose: "SCHOLARSHIPS",
      },
    ]);
    const [first, second] = rows.map(({ id }) => Number(id));
    expect([first, second].map((id) => (id ?? 0) % 2 ** 18)).toEqual([1, 2]); // positions among all rows, the empty one included
    const [organization] = await query("FROM read_parquet($path)", join(out, "organizations.parquet"));
    expect(organization).toEqual({
      ...{
        zip: "33601",
        country: null,
        ntee_code: null,
        subsection: null,
        ruling_year: null,
        sort_name: null,
        first_period: "2022-12",
      },
      ...{ affiliation: null, group_number: null, earliest_ruling_year: null },
      ein: "012345678",
      name: "THE GIVING FUND OF TAMPA",
      city: "TAMPA",
      state: "FL",
      source: "IRS e-file",
      period: "2022-12",
    });
    expect(await query("FROM read_parquet($path)", join(out, "finances.parquet"))).toEqual([
      {
        ...{
          ein: "012345678",
          tax_year: 2022,
          period_end: "2022-12-31",
          form: "990",
          return_id: objectId(135, 7),
        },
        ...{
          revenue: "90.00",
          expenses: "80.00",
          assets: "-70.00",
          grants_paid: "60.00",
          mission: "TO GIVE",
          donor_advised: false,
        },
        ...{ accepts: null, deadlines: null, application_form: null, restrictions: null },
      },
    ]);
  });

  it("gives an organization's names by period, whatever the form", async () => {
    const out = await importMembers(
      member(objectId(1, 1), { line1: "OLD NAME", filedAt: late }),
      member(objectId(1, 2, 2), {
        form: "990EZ",
        line1: "NEW NAME",
        taxYear: 2023,
        periodEnd: "2023-12-31",
        grants: [],
      }),
    );
    expect(
      await query("SELECT name, period FROM read_parquet($path)", join(out, "organizations.parquet")),
    ).toEqual([
      { name: "OLD NAME", period: "2022-12" },
      { name: "NEW NAME", period: "2023-12" },
    ]);
  });
});
