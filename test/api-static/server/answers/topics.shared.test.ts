// Tests that shared recipients equal a brute-force count over every grant of the funders.
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../../../api-static/contract/text/text.ts";
import { type CornerGrant, cornerGrants } from "../corners.ts";
import { useRelease } from "../release.fixture.ts";

type Funder = { funder_ein: string; records: number; amount: number };
type Shared = {
  data: { recipient_ein: string; recipient_name: string | null; funders: Funder[] }[];
  total: number;
  funders: (Funder & { sizes: { records: number; amount: number }[] })[];
};

const [one, other, third] = ["521234561", "521234562", "521234563"];

const [plain] = cornerGrants() as [CornerGrant];

/** Funder `one` makes 6,000 grants, more than a page shows; its recipients 0 to 699 are also funded by `other`, 0 to 4 by `third`. */
const grants: CornerGrant[] = [
  ...Array.from({ length: 6_000 }, (_, index) => ({ funder_ein: one, recipient: index % 1_000, index })),
  ...Array.from({ length: 1_000 }, (_, index) => ({ funder_ein: other, recipient: index + 300, index })),
  ...Array.from({ length: 5 }, (_, index) => ({ funder_ein: third, recipient: index, index })),
].map(({ funder_ein, recipient, index }, id) => ({
  ...plain,
  ...{ id, funder_ein, transaction_year: 2015 + (index % 4), purpose: null },
  recipient_ein: index % 10 === 9 ? null : String(200_000_000 + recipient),
  recipient_name: `School ${recipient}${index > 3_000 ? " INC" : ""}`,
  amount: `${(index % 50) * 10}.50`,
}));

const served = useRelease({ name: "shared", grants });

/** The shared recipients' EINs in order, each with the totals of its funders. */
function countShared(eins: readonly string[], [from, to]: readonly [number, number] = [0, 9999]) {
  const counted = grants.filter(({ transaction_year: year }) => year >= from && year <= to);
  const sumOf = (of: readonly CornerGrant[]) => of.reduce((sum, { amount }) => sum + Number(amount), 0);
  const byRecipient = Map.groupBy(
    counted.filter(({ recipient_ein: ein, funder_ein }) => ein !== null && eins.includes(funder_ein)),
    ({ recipient_ein }) => recipient_ein,
  );
  return [...byRecipient]
    .map(([recipient_ein, received]) => ({
      recipient_ein,
      funders: eins
        .map((funder_ein) => ({
          funder_ein,
          from: received.filter((grant) => grant.funder_ein === funder_ein),
        }))
        .filter(({ from }) => from.length > 0)
        .map(({ funder_ein, from }) => ({ funder_ein, records: from.length, amount: sumOf(from) })),
    }))
    .filter(({ funders }) => funders.length > 1)
    .toSorted((a, b) => {
      const cents = (funders: readonly Funder[]) =>
        funders.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
      return (
        b.funders.length - a.funders.length ||
        cents(b.funders) - cents(a.funders) ||
        Number(a.recipient_ein) - Number(b.recipient_ein)
      );
    });
}

async function askShared(query: string): Promise<Shared> {
  return JSON.parse(await served().askText(`/v1/recipients/shared?${query}`)) as Shared;
}

describe("shared recipients", () => {
  it.each([
    ["two funders", [one, other], "", undefined],
    ["two funders in the other order", [other, one], "", undefined],
    ["three funders", [one, other, third], "", undefined],
    ["three funders in one year", [third, one, other], "&transaction_year=2016", [2016, 2016]],
    ["two funders in a range of years", [one, other], "&min_year=2016&max_year=2017", [2016, 2017]],
    ["two funders since a year", [one, other], "&min_year=2017", [2017, 9999]],
  ] as const)("of %s equal a brute-force count", async (_, eins, years, range) => {
    const expected = countShared(eins, range);
    expect(expected.length).toBeGreaterThan(100);
    const query = `funders=${eins.join()}${years}`;
    const { data, total } = await askShared(`${query}&limit=1000`);
    expect(total).toBe(expected.length);
    expect(data.map(({ recipient_ein, funders }) => ({ recipient_ein, funders }))).toStrictEqual(expected);
  });

  it("have the name that most of these grants give", async () => {
    const { data } = await askShared(`funders=${one},${other}&limit=1000`);
    for (const { recipient_ein, recipient_name } of data) {
      const names = grants
        .filter((grant) => grant.recipient_ein === recipient_ein && grant.funder_ein !== third)
        .map(({ recipient_name: name }) => canonicalText(String(name)));
      const countOf = (name: string) => names.filter((given) => given === name).length;
      const most = Math.max(...names.map(countOf));
      expect(countOf(canonicalText(String(recipient_name)))).toBe(most);
    }
  });

  it("come in pages that neither overlap nor skip", async () => {
    const whole = await askShared(`funders=${one},${other}&limit=1000`);
    const pages = await Promise.all(
      [0, 250, 500, 750].map((offset) => askShared(`funders=${one},${other}&limit=250&offset=${offset}`)),
    );
    expect(pages.flatMap(({ data }) => data)).toStrictEqual(whole.data);
    expect(pages.map(({ total }) => total)).toStrictEqual(Array(4).fill(whole.total));
  });

  it("come with each funder's totals and sizes, of the year if one is given", async () => {
    const { askText } = served();
    const { data: summary } = JSON.parse(await askText(`/v1/funders/${one}/summary`));
    const { funders, total } = await askShared(`funders=${one}`);
    const { records, amount, sizes } = summary;
    expect([funders, total]).toStrictEqual([[{ funder_ein: one, records, amount, sizes }], 0]);
    const ofYear = await askShared(`funders=555555555,${one}&transaction_year=2016`);
    const inYear = grants.filter((grant) => grant.funder_ein === one && grant.transaction_year === 2016);
    expect(ofYear.funders.map(({ records }) => records)).toStrictEqual([0, inYear.length]);
    expect(ofYear.funders[1]?.sizes.reduce((sum, { records }) => sum + records, 0)).toBe(inYear.length);
  });

  it("are the same for EINs with hyphens", async () => {
    expect(await askShared(`funders=52-1234561,${other}`)).toStrictEqual(
      await askShared(`funders=${one},${other}`),
    );
  });
});
