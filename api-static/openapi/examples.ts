// Defines the examples of the OpenAPI document: invented grants in the form of real filings.
import { stringify } from "../contract/amount.ts";
import { type CsvForm, formatCsvHeader, formatCsvRow, matchCells, matchColumns } from "../contract/csv.ts";
import type { Match } from "../contract/matches.ts";
import { type GrantRecord, recordFields } from "../contract/record.ts";

const clinic = { recipient_ein: "530196605", recipient_name: "GRACE VALLEY HEALTH CLINIC INC" };
const children = { recipient_ein: "511102418", recipient_name: "LAKESIDE CHILDREN'S CLINIC" };

const [funder, other] = ["131635294", "200253310"];
const support = { purpose: "GENERAL SUPPORT" };
const food = { purpose: null, non_cash_amount: 15_250_50n, non_cash_description: "CANNED FOOD" };
const valley = { recipient_ein: null, recipient_name: "Grace Valley Health Clinic" };

/** All grants of the examples, as the API writes them, in the order of a search. */
export const exampleLines = [
  line(39706, funder, 2023, clinic, 172_968_00n, { purpose: "FOOD ASSISTANCE PROGRAM" }),
  line(39707, funder, 2023, children, 12_000_00n, { purpose: "PEDIATRIC NURSES" }),
  line(8953, funder, 2023, { recipient_ein: null, recipient_name: "Harbor Street Food Bank" }, 0n, food),
  line(8955, other, 2022, clinic, 25_000_00n, support),
  line(8956, other, 2022, children, 8_000_00n, support),
  line(8954, other, 2022, valley, 5_000_00n, support),
];

function line(
  id: number,
  funder_ein: string,
  transaction_year: number,
  { recipient_name, recipient_ein }: Pick<GrantRecord, "recipient_name" | "recipient_ein">,
  amount: bigint,
  others: object,
): string {
  const start = {
    id,
    funder_ein,
    transaction_year,
    recipient_name,
    recipient_ein,
    type: "Schedule I",
    amount,
  };
  const empty = { non_cash_amount: null, non_cash_description: null };
  return stringify({ ...start, ...empty, ...others, created_at: "2024-11-19T04:00:00Z" });
}

export const exampleGrants = exampleLines.map((each) => JSON.parse(each) as GrantRecord);
const ofFunder = exampleGrants.slice(0, 3);
const ofClinic = exampleGrants.filter(({ recipient_ein }) => recipient_ein === clinic.recipient_ein);

const plainCsv: CsvForm = { isEscapingFormulas: false, isForExcel: false, hasNames: false };
const csvRows = exampleLines.map((each) => formatCsvRow(each, plainCsv, () => ""));

export const csvExample = formatCsvHeader(plainCsv) + csvRows.slice(0, 3).join("");

/** Has only the grants that match the search of `searchExample`. */
export const searchCsvExample = formatCsvHeader(plainCsv) + csvRows[0];

/** Answers `?purpose=food&min_amount=10000&limit=1`. */
export const searchExample = { success: true, data: [exampleGrants[0]], total: 1, limit: 1, offset: 0 };

/** Answers `?limit=2` of the funder. */
export const historyExample = { success: true, data: ofFunder.slice(0, 2), total: 3, limit: 2, offset: 0 };

const match = {
  ...{ id: 8954, matched_ein: "530196605", match_rule: "name_and_place", match_score: 0.994 },
  match_evidence: "Listed as GRACE VALLEY HEALTH CLINIC INC, AUSTIN, TX 78701, 2025.",
} as const satisfies Match;

const matched = exampleGrants.slice(5);

/** Answers `?matched=include` of the recipient. */
export const recipientHistoryExample = {
  success: true,
  data: [...ofClinic, ...matched],
  matches: [match],
  ...{ total: 3, limit: 100, offset: 0 },
};

/** The same as CSV. */
export const recipientCsvExample = [
  formatCsvHeader(plainCsv, recordFields, matchColumns),
  ...recipientHistoryExample.data.map((grant) => {
    const each = exampleLines[exampleGrants.indexOf(grant)] as string;
    const cells = matchCells(grant.id === match.id ? match : undefined, plainCsv);
    return formatCsvRow(each, plainCsv, () => "", recordFields, cells);
  }),
].join("");

export const grantExample = {
  success: true,
  data: exampleGrants[0],
  source: {
    ...{ object_id: "202303329349100200", form: "990", period: "2022-12" },
    ...{ zip: "2023_TEOS_XML_11A.zip", row: 0 },
  },
};

type Grants = readonly GrantRecord[];

function sumOf(grants: Grants) {
  return { records: grants.length, amount: grants.reduce((sum, { amount }) => sum + amount, 0) };
}

/** The sums of the groups by some fields, the largest first. */
function groupsOf(grants: Grants, ...fields: readonly (keyof GrantRecord)[]) {
  const groups = Map.groupBy(grants, (grant) => JSON.stringify(grant, [...fields]));
  return [...groups]
    .map(([key, of]) => ({ ...(JSON.parse(key) as Partial<GrantRecord>), ...sumOf(of) }))
    .sort((a, b) => b.amount - a.amount);
}

const fundersOf = (grants: Grants) => groupsOf(grants, "funder_ein");
const recipientsOf = (grants: Grants) => groupsOf(grants, "recipient_ein", "recipient_name");
const yearsOf = (grants: Grants) => groupsOf(grants, "transaction_year");

function sizesOf(grants: Grants) {
  const bounds = [null, 0, 1_000, 10_000, 100_000, 1_000_000, null];
  return bounds.slice(0, -1).map((from, index) => {
    const below = bounds[index + 1] ?? null;
    const isIn = ({ amount }: GrantRecord) => amount >= (from ?? -Infinity) && amount < (below ?? Infinity);
    return { from, below, ...sumOf(grants.filter(isIn)) };
  });
}

function summaryOf(grants: Grants) {
  const years = yearsOf(grants);
  const [last, first] = [years[0], years.at(-1)];
  const span = { first_year: first?.transaction_year, last_year: last?.transaction_year };
  return { ...sumOf(grants), ...span, years, sizes: sizesOf(grants) };
}

export const funderSummaryExample = {
  success: true,
  data: {
    ...{ funder_ein: funder, ...summaryOf(ofFunder), largest_grant: ofFunder[0] },
    ...{ recipients: 3, top_recipients: recipientsOf(ofFunder) },
    non_cash: { records: 1, share: 0.3333 },
    received: sumOf([]),
    repeated: { ...sumOf([]), years: [] },
  },
};

function totalsOf(grants: Grants) {
  const [top_funders, top_recipients] = [fundersOf(grants), recipientsOf(grants)];
  const counts = { funders: top_funders.length, recipients: top_recipients.length };
  const data = { ...summaryOf(grants), ...counts, top_funders, top_recipients, without_recipient: sumOf([]) };
  return { success: true, data };
}

/** Answers `?max_amount=200000`, as any search that all grants match. */
export const totalsExample = totalsOf(exampleGrants);

export const funderTotalsExample = totalsOf(ofFunder);

/** Answers `?by=recipient&limit=2`. */
export const groupsExample = {
  success: true,
  data: recipientsOf(exampleGrants).slice(0, 2),
  ...{ total: 4, ...sumOf(exampleGrants), limit: 2, offset: 0 },
};

/** Answers `?by=funder`. */
export const groupsCsvExample =
  "funder_ein,records,amount\r\n131635294,3,184968.00\r\n200253310,3,38000.00\r\n";

export const recipientSummaryExample = {
  success: true,
  data: {
    ...{ ...clinic, ...summaryOf(ofClinic), largest_grant: ofClinic[0] },
    ...{ funders: 2, top_funders: fundersOf(ofClinic) },
    non_cash: { records: 0, share: 0 },
    filed: { ...sumOf(ofClinic), funders: 2, years: yearsOf(ofClinic) },
    matched: {
      ...{ ...sumOf(matched), funders: 1, years: yearsOf(matched) },
      rules: [{ match_rule: match.match_rule, records: 1 }],
    },
  },
};

/** Answers `?funders=131635294,200253310&limit=1`. */
export const sharedRecipientsExample = {
  success: true,
  data: [{ ...clinic, funders: fundersOf(ofClinic) }],
  ...{ total: 2, limit: 1, offset: 0 },
  funders: [ofFunder, exampleGrants.slice(3)].map((of) => ({ ...fundersOf(of)[0], sizes: sizesOf(of) })),
};

const place = { city: "NEW YORK", state: "NY" };
export const organization = { ein: funder, name: "HARBOR STREET FOUNDATION", ...place };

export const organizationExample = { success: true, data: organization };

/** Answers `?name=harbor+str&limit=1`. */
export const organizationsExample = {
  success: true,
  data: [{ ...organization, given: sumOf(ofFunder), received: sumOf([]), match: "prefix" }],
  total: 1,
};

export const changesExample = {
  current: "20261121T040000Z",
  entries: [
    {
      ...{ from: "20261120T040000Z", to: "20261121T040000Z", at: "2026-11-21T04:03:10Z" },
      ...{ added: 1204, changed: 31, removed: 0 },
      files: [
        {
          ...{
            format: "parquet",
            url: "/v1/changes/20261120T040000Z..20261121T040000Z.parquet",
            bytes: 61_520,
          },
          sha256: "8d3f2f6b7a3f6f5e0a0c8f1b8f6f0f1c2f7d0b7e4b8c0a6e6f2f5b9d7c1e3a40",
        },
      ],
      download: "/v1/downloads/grants.parquet",
      records: 20_013_422,
      digest: "1f6a0bb1d0f5c7b6f4f4cc4b2f5b8c2f9f0d4b1a7e6c3d2b5a4f3e2d1c0b9a88",
    },
  ],
};

export const namesByEinExample = { success: true, data: [organization] };

export const funderPeersExample = {
  success: true,
  data: {
    funder_ein: "131635294",
    peers: [{ funder_ein: "200253310", shared_recipients: 2, recipients: 2, score: 1 }],
  },
};

export const recipientPeersExample = {
  success: true,
  data: {
    recipient_ein: "530196605",
    peers: [{ ...children, shared_funders: 2, funders: 2, score: 1 }],
  },
};
