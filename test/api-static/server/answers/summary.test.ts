// Tests that summaries equal the totals of a brute-force scan of every record, on the sample and on real filings.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { summarize } from "../../../../api-static/server/answers/summary.ts";
import { close, openSmallDatabase } from "../../../pipeline/warehouse/warehouse.fixture.ts";
import { proofs } from "../../../proofs.ts";
import { isRealTested, realWarehouse } from "../../../realWarehouse.ts";
import { folded } from "../../search/oracle.ts";
import { type Served, useRelease } from "../release.fixture.ts";
import { expectNoSearchForFunder } from "./computed.fixture.ts";

type Grant = {
  /** The record as text. */
  readonly line: string;
  readonly id: number;
  readonly funder: string;
  readonly recipient: string | null;
  readonly name: string | null;
  readonly year: number;
  readonly cents: bigint;
  readonly nonCash: bigint;
  readonly isOfPeople: boolean;
  /** True if the newest return of its recipient states donor-advised funds. */
  readonly isToSponsor: boolean;
};

type Field =
  | "funder_ein"
  | "recipient_ein"
  | "recipient_name"
  | "id"
  | "transaction_year"
  | "non_cash_amount"
  | "type";

/** The names of the sample and of real filings that stand for people. */
const peopleNames = /^(various )?(individuals|scholarship recipients|students|needy patients)$/i;

/** The grants of a release in order of rank. */
async function readGrants({ lines, warehouse }: Served): Promise<Grant[]> {
  const finances = join(warehouse, "finances.parquet");
  const database = await openSmallDatabase();
  const found = existsSync(finances)
    ? await database.connection.runAndReadAll(`SELECT ein FROM '${finances}' GROUP BY ein
        HAVING list(donor_advised ORDER BY tax_year DESC)[1]`)
    : undefined;
  close(database);
  const sponsors = new Set(found?.getRows().map(([ein]) => String(ein)));
  return lines.map((line) => readGrant(line, sponsors)).toSorted(byRank);
}

function readGrant(line: string, sponsors: ReadonlySet<string>): Grant {
  const record = JSON.parse(line) as Record<Field, string | null>;
  const [, amount = ""] = /"amount":(-?\d+\.\d\d),"non_cash_amount"/.exec(line) ?? [];
  const [, nonCash = "0"] = /"non_cash_amount":(\d+\.\d\d),"non_cash_d/.exec(line) ?? [];
  return {
    line,
    id: Number(record.id),
    funder: String(record.funder_ein),
    recipient: record.recipient_ein,
    name: record.recipient_name,
    year: Number(record.transaction_year),
    cents: BigInt(amount.replace(".", "")),
    nonCash: BigInt(nonCash.replace(".", "")),
    isOfPeople:
      /^schedule i individuals$/i.test(record.type ?? "") ||
      (record.recipient_ein === null && peopleNames.test(record.recipient_name ?? "")),
    isToSponsor: sponsors.has(record.recipient_ein ?? ""),
  };
}

/** Orders grants newest first, then largest, then by id. The first grant with a name gives its spelling. */
const byRank = (a: Grant, b: Grant) =>
  b.year - a.year || (a.cents === b.cents ? a.id - b.id : a.cents < b.cents ? 1 : -1);

function groupBy<Key>(grants: readonly Grant[], keyOf: (grant: Grant) => Key): [Key, Grant[]][] {
  const groups = new Map<Key, Grant[]>();
  for (const grant of grants) {
    const key = keyOf(grant);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [grant]);
    else group.push(grant);
  }
  return [...groups];
}

const sumOf = (grants: readonly Grant[]) => grants.reduce((sum, { cents }) => sum + cents, 0n);
const more = (a: readonly Grant[], b: readonly Grant[]) =>
  sumOf(a) === sumOf(b) ? 0 : sumOf(a) < sumOf(b) ? 1 : -1;

/** An expected amount: marked text, which `format` turns into a number. */
const decimal = (cents: bigint) => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `#${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}#`;
};
const total = (grants: readonly Grant[]) => ({ records: grants.length, amount: decimal(sumOf(grants)) });

/** The name that most of the grants have, spelled as in the first of them in order of rank. */
function commonName(grants: readonly Grant[]): string | null {
  const named = groupBy(grants, ({ name }) => (name === null ? null : folded(name)));
  const most = named.filter(([name]) => name !== null).toSorted(([, a], [, b]) => b.length - a.length);
  return most[0]?.[1][0]?.name ?? null;
}

const bounds = [null, 0n, 1_000n, 10_000n, 100_000n, 1_000_000n, null];

/** The parts that summaries of funders and of recipients have in common. */
function totals(grants: readonly Grant[], funders: ReadonlySet<string>) {
  const years = groupBy(grants, ({ year }) => year).toSorted(([a], [b]) => b - a);
  const nonCash = grants.filter(({ nonCash }) => nonCash > 0n);
  const toPeople = grants.filter(({ isOfPeople }) => isOfPeople);
  const others = grants.filter(({ isOfPeople }) => !isOfPeople);
  return {
    ...total(grants),
    first_year: years.at(-1)?.[0],
    last_year: years[0]?.[0],
    non_cash: {
      records: nonCash.length,
      amount: decimal(nonCash.reduce((sum, { nonCash }) => sum + nonCash, 0n)),
      share: Number((nonCash.length / grants.length).toFixed(4)),
    },
    individuals: total(toPeople),
    passed_on: total(grants.filter(({ recipient }) => recipient !== null && funders.has(recipient))),
    donor_advised: total(grants.filter(({ isToSponsor }) => isToSponsor)),
    years: years.map(([transaction_year, of]) => ({ transaction_year, ...total(of) })),
    sizes: bounds.slice(1).map((below, size) => {
      const from = bounds[size] ?? null;
      const own = others.filter(
        ({ cents }) => (from === null || cents >= from * 100n) && (below === null || cents < below * 100n),
      );
      const shown = (bound: bigint | null) => (bound === null ? null : decimal(bound * 100n));
      return { from: shown(from), below: shown(below), ...total(own) };
    }),
    largest_grant: largest(others.length > 0 ? others : grants),
  };
}

/** The marked text of the first of the largest grants, in order of rank. */
function largest(grants: readonly Grant[]): string {
  const most = grants.reduce((max, { cents }) => (cents > max ? cents : max), grants[0]?.cents ?? 0n);
  return `@${grants.find(({ cents }) => cents === most)?.line}@`;
}

/** The body. A marked amount becomes a number, and a marked line a record. */
const format = (data: Readonly<Record<string, unknown>> & { readonly largest_grant: string }) =>
  `${JSON.stringify({ success: true, data })
    .replace(JSON.stringify(data.largest_grant), () => data.largest_grant.slice(1, -1))
    .replaceAll(/"#(-?\d+\.\d\d)#"/g, "$1")}\n`;

function funderBody(
  ein: string,
  grants: readonly Grant[],
  all: readonly Grant[],
  others: OtherHabits,
): string {
  const recipients = groupBy(
    grants,
    ({ recipient, name }) => recipient ?? (name === null ? null : `?${folded(name)}`),
  )
    .filter(([key]) => key !== null)
    .toSorted(([, a], [, b]) => more(a, b));
  const top = recipients.slice(0, 10).map(([, of]) => ({
    recipient_ein: of[0]?.recipient ?? null,
    recipient_name: commonName(of),
    ...total(of),
  }));
  return format({
    funder_ein: ein,
    ...totals(grants, new Set(all.map(({ funder }) => funder))),
    recipients: recipients.length,
    top_recipients: top,
    received: total(all.filter(({ recipient }) => recipient === ein)),
    repeated: repeated(grants),
    habits: { ...habits(grants), ...others },
  });
}

/** The sizes, recipients and first grants of a funder. */
function habits(grants: readonly Grant[]) {
  const counted = grants.filter(({ isOfPeople }) => !isOfPeople);
  const nearest = (cents: readonly bigint[], share: number) =>
    cents.toSorted((a, b) => (a < b ? -1 : 1))[Math.max(0, Math.ceil(cents.length * share) - 1)];
  const sizes = counted.map(({ cents }) => cents);
  const named = counted.filter(({ recipient, name }) => recipient !== null || name !== null);
  const recipients = groupBy(named, ({ recipient, name }) => recipient ?? `?${folded(name ?? "")}`).map(
    ([, of]) => ({ years: new Set(of.map(({ year }) => year)), of }),
  );
  const firstOf = ({ years }: (typeof recipients)[number]) => Math.min(...years);
  const firsts = recipients.map((each) => {
    const year = firstOf(each);
    return each.of.find((grant) => grant.year === year)?.cents ?? 0n;
  });
  const years = [...new Set(named.map(({ year }) => year))].toSorted((a, b) => b - a);
  const median = nearest(firsts, 0.5);
  return {
    quartiles:
      sizes.length === 0 ? [] : [0.25, 0.5, 0.75].map((share) => decimal(nearest(sizes, share) ?? 0n)),
    new_recipients: years.map((year) => {
      const ofYear = recipients.filter((each) => each.years.has(year));
      const isNew = ofYear.filter((each) => firstOf(each) === year);
      return { transaction_year: year, recipients: ofYear.length, new: isNew.length };
    }),
    first_grants: { median: median === undefined ? null : decimal(median) },
  };
}

type OtherHabits = { readonly in_state: object | null; readonly payout: readonly object[] };

/** What a search finds of the grants in the funder's state; null if that is unknown. And what its returns say. */
async function readOtherHabits({ ask }: Served, ein: string): Promise<OtherHabits> {
  const read = async (path: string) => JSON.parse(await (await ask(path)).text()).data ?? {};
  const { state = null, finances = [] } = await read(`/v1/organizations/${ein}`);
  const payout = (finances as readonly { tax_year: number; assets: number; grants_paid: number | null }[])
    .filter(({ assets, grants_paid }) => assets > 0 && grants_paid !== null)
    .map(({ tax_year, assets, grants_paid }) => ({
      tax_year,
      share: Number((Number(grants_paid) / assets).toFixed(4)),
    }));
  if (state === null) return { in_state: null, payout };
  const { records, amount } = await read(`/v1/history/summary?funder_ein=${ein}&recipient_state=${state}`);
  return { in_state: { records, amount: decimal(BigInt(Math.round(amount * 100))) }, payout };
}

/** Of grants that are equal in all but their id and filing, those of the filing with the most of them count. */
function repeated(grants: readonly Grant[]) {
  const years = groupBy(grants, ({ year }) => year).map(([transaction_year, filed]) => {
    const contents = groupBy(filed, ({ line }) => line.replace(/"id":\d+/, "").replace(/"created_at".*/, ""));
    const repeats = contents.flatMap(([, same]) => {
      const filings = groupBy(same, ({ line }) => /"created_at".*/.exec(line)?.[0]);
      return same.slice(Math.max(...filings.map(([, copies]) => copies.length))).map((grant) => ({
        ...{ grant, filings: filings.length },
      }));
    });
    const filings = Math.max(...repeats.map(({ filings }) => filings));
    return { transaction_year, repeats: repeats.map(({ grant }) => grant), filings };
  });
  return {
    ...total(years.flatMap(({ repeats }) => repeats)),
    years: years
      .filter(({ repeats }) => repeats.length > 0)
      .map(({ repeats, filings, transaction_year }) => ({ transaction_year, ...total(repeats), filings })),
  };
}

function recipientBody(ein: string, grants: readonly Grant[], all: readonly Grant[]): string {
  const funders = groupBy(grants, ({ funder }) => funder).toSorted(
    ([aEin, a], [bEin, b]) => more(a, b) || Number(aEin) - Number(bEin),
  );
  const top = funders.slice(0, 10).map(([funder_ein, of]) => ({ funder_ein, ...total(of) }));
  const sums = totals(grants, new Set(all.map(({ funder }) => funder)));
  const filed = { ...total(grants), funders: funders.length, years: sums.years };
  return format({
    recipient_ein: ein,
    recipient_name: commonName(grants),
    ...sums,
    funders: funders.length,
    top_funders: top,
    filed,
    matched: { ...total([]), funders: 0, years: [], rules: [] }, // the sample is too small to prove a rule
  });
}

/** Compares summaries of funders and of recipients, evenly from the largest to the smallest. */
async function checkSummaries(served: Served): Promise<void> {
  const { askText } = served;
  const grants = await readGrants(served);
  const funders = groupBy(grants, ({ funder }) => funder);
  const recipients = groupBy(
    grants.filter(({ recipient }) => recipient !== null),
    ({ recipient }) => recipient ?? "",
  );
  for (const [groups, path, bodyOf] of [
    [funders, "funders", funderBody],
    [recipients, "recipients", recipientBody],
  ] as const) {
    const step = Math.ceil(groups.length / proofs.summaries);
    const ordered = groups.toSorted(([, a], [, b]) => b.length - a.length);
    for (const [ein, of] of ordered.filter((_, index) => index % step === 0))
      expect(await askText(`/v1/${path}/${ein}/summary`)).toBe(
        bodyOf(ein, of, grants, await readOtherHabits(served, ein)),
      );
  }
}

const served = useRelease({ sampleRows: 4_000 });

describe("a summary", () => {
  it("equals the brute-force totals, for funders and recipients", async () => {
    await checkSummaries(served());
  });

  it("of a funder counts the grants to the funder's own EIN", async () => {
    const { askText } = served();
    const grants = await readGrants(served());
    const recipients = new Set(grants.map(({ recipient }) => recipient));
    const receiving = groupBy(grants, ({ funder }) => funder).filter(([ein]) => recipients.has(ein));
    expect(receiving.length).toBeGreaterThan(0);
    for (const [ein, made] of receiving) {
      const body = await askText(`/v1/funders/${ein}/summary`);
      expect(body).toBe(funderBody(ein, made, grants, await readOtherHabits(served(), ein)));
      expect(body).not.toContain('"received":{"records":0');
    }
  });

  it("has the documented shape, and exact amounts beyond the precision of a number", async () => {
    const body = await served().askText("/v1/funders/000000019/summary");
    const [line = ""] = served().lines.filter((line) => line.includes('"funder_ein":"000000019"'));
    expect(line).toContain('"amount":9999999999999999.99,');
    expect(body).toBe(
      '{"success":true,"data":{"funder_ein":"000000019","records":1,"amount":9999999999999999.99,' +
        '"first_year":2019,"last_year":2019,"non_cash":{"records":0,"amount":0.00,"share":0},' +
        '"individuals":{"records":0,"amount":0.00},"passed_on":{"records":0,"amount":0.00},"donor_advised":{"records":0,"amount":0.00},' +
        '"years":[{"transaction_year":2019,"records":1,"amount":9999999999999999.99}],' +
        '"sizes":[{"from":null,"below":0.00,"records":0,"amount":0.00},' +
        '{"from":0.00,"below":1000.00,"records":0,"amount":0.00},' +
        '{"from":1000.00,"below":10000.00,"records":0,"amount":0.00},' +
        '{"from":10000.00,"below":100000.00,"records":0,"amount":0.00},' +
        '{"from":100000.00,"below":1000000.00,"records":0,"amount":0.00},' +
        '{"from":1000000.00,"below":null,"records":1,"amount":9999999999999999.99}],' +
        `"largest_grant":${line},"recipients":1,` +
        '"top_recipients":[{"recipient_ein":"012345678","recipient_name":"GENERAL SUPPORT","records":1,"amount":9999999999999999.99}],' +
        '"received":{"records":0,"amount":0.00},"repeated":{"records":0,"amount":0.00,"years":[]},' +
        '"habits":{"quartiles":[9999999999999999.99,9999999999999999.99,9999999999999999.99],' +
        '"new_recipients":[{"transaction_year":2019,"recipients":1,"new":1}],' +
        '"first_grants":{"median":9999999999999999.99},"in_state":null,"payout":[]}}}\n',
    );
  });

  it("of an unknown funder takes no place in the queue, and does not count as the client's search", async () => {
    const { release } = served();
    await expectNoSearchForFunder(release, (unknown, admit) =>
      summarize(release, { kind: "summary", ...unknown }, admit),
    );
  });
});

const isRealHere = isRealTested("summaries");

describe.skipIf(!isRealHere)("a summary of real filings", () => {
  const served = useRelease({ warehouse: realWarehouse });

  it("equals the brute-force totals", async () => {
    await checkSummaries(served());
  });
});
