// Defines the examples of the OpenAPI document: invented grants in the form of real filings.
import { type CsvForm, formatCsvHeader, formatCsvRow, matchCells, matchColumns } from "../contract/csv.ts";
import type { Match } from "../contract/matches.ts";
import { type GrantRecord, recordFields } from "../contract/record.ts";

const clinic = { recipient_ein: "530196605", recipient_name: "GRACE VALLEY HEALTH CLINIC INC" };
const children = { recipient_ein: "511102418", recipient_name: "LAKESIDE CHILDREN'S CLINIC" };

const clinicLine = line(8954, "200253310", 2022, [null, "Grace Valley Health Clinic"], "5000.00");

/** All grants of the examples, as the API writes them, in the order of a search. */
export const exampleLines = [
  line(
    39706,
    "131635294",
    2023,
    ["530196605", clinic.recipient_name],
    "172968.00",
    "FOOD ASSISTANCE PROGRAM",
  ),
  line(39707, "131635294", 2023, ["511102418", children.recipient_name], "12000.00", "PEDIATRIC NURSES"),
  line(8953, "131635294", 2023, [null, "Harbor Street Food Bank"], "0.00", null, [
    "15250.50",
    '"CANNED FOOD"',
  ]),
  line(8955, "200253310", 2022, ["530196605", clinic.recipient_name], "25000.00"),
  line(8956, "200253310", 2022, ["511102418", children.recipient_name], "8000.00"),
  clinicLine,
];

function line(
  id: number,
  funder: string,
  year: number,
  [ein, name]: readonly [string | null, string],
  amount: string,
  purpose: string | null = "GENERAL SUPPORT",
  [support, description]: readonly string[] = ["null", "null"],
): string {
  const recipient = { recipient_name: name, recipient_ein: ein, type: "Schedule I" };
  const start = JSON.stringify({ id, funder_ein: funder, transaction_year: year, ...recipient }).slice(0, -1);
  const rest = JSON.stringify({ purpose, created_at: "2024-11-19T04:00:00Z" }).slice(1);
  return `${start},"amount":${amount},"non_cash_amount":${support},"non_cash_description":${description},${rest}`;
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
  ...[exampleLines[0], exampleLines[3], clinicLine].map((each = "") =>
    formatCsvRow(
      ...([each, plainCsv, () => "", recordFields] as const),
      matchCells(each === clinicLine ? match : undefined, plainCsv),
    ),
  ),
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

/** The sums of the groups by a key, the largest first. */
function groupsOf<Key extends string | number>(grants: Grants, keyOf: (grant: GrantRecord) => Key) {
  const groups = [...Map.groupBy(grants, keyOf)].map(([key, of]) => ({ key, of, sum: sumOf(of) }));
  return groups.sort((a, b) => b.sum.amount - a.sum.amount);
}

function yearsOf(grants: Grants) {
  return groupsOf(grants, (grant) => grant.transaction_year)
    .sort((a, b) => b.key - a.key)
    .map(({ key, sum }) => ({ transaction_year: key, ...sum }));
}

function fundersOf(grants: Grants) {
  return groupsOf(grants, (grant) => grant.funder_ein).map(({ key, sum }) => ({ funder_ein: key, ...sum }));
}

function recipientsOf(grants: Grants) {
  return groupsOf(grants, (grant) => grant.recipient_ein ?? grant.recipient_name ?? "").map(({ of, sum }) => {
    const { recipient_ein = null, recipient_name = null } = of[0] ?? {};
    return { recipient_ein, recipient_name, ...sum };
  });
}

function sizesOf(grants: Grants) {
  const bounds = [null, 0, 1_000, 10_000, 100_000, 1_000_000, null];
  return bounds.slice(0, -1).map((from, index) => {
    const below = bounds[index + 1] ?? null;
    const isIn = ({ amount }: GrantRecord) => amount >= (from ?? -Infinity) && amount < (below ?? Infinity);
    return { from, below, ...sumOf(grants.filter(isIn)) };
  });
}

function spanOf(grants: Grants) {
  const years = yearsOf(grants).map((year) => year.transaction_year);
  return { first_year: years.at(-1), last_year: years[0] };
}

export const funderSummaryExample = {
  success: true,
  data: {
    funder_ein: "131635294",
    ...{ ...sumOf(ofFunder), ...spanOf(ofFunder) },
    non_cash: { records: 1, share: 0.3333 },
    years: yearsOf(ofFunder),
    sizes: sizesOf(ofFunder),
    largest_grant: ofFunder[0],
    recipients: 3,
    top_recipients: recipientsOf(ofFunder),
    received: { records: 0, amount: 0 },
    repeated: { records: 0, amount: 0, years: [] },
  },
};

function totalsOf(grants: Grants) {
  const [funders, recipients] = [fundersOf(grants), recipientsOf(grants)];
  const counts = { ...sumOf(grants), funders: funders.length, recipients: recipients.length };
  const lists = {
    years: yearsOf(grants),
    sizes: sizesOf(grants),
    top_funders: funders,
    top_recipients: recipients,
  };
  return { success: true, data: { ...counts, ...spanOf(grants), ...lists, without_recipient: sumOf([]) } };
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
    ...clinic,
    ...{ ...sumOf(ofClinic), ...spanOf(ofClinic) },
    non_cash: { records: 0, share: 0 },
    years: yearsOf(ofClinic),
    sizes: sizesOf(ofClinic),
    largest_grant: ofClinic[0],
    funders: 2,
    top_funders: fundersOf(ofClinic),
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
  funders: [ofFunder, exampleGrants.slice(3)].map((grants) => ({
    ...fundersOf(grants)[0],
    sizes: sizesOf(grants),
  })),
};

export const organization = {
  ein: "131635294",
  name: "HARBOR STREET FOUNDATION",
  city: "NEW YORK",
  state: "NY",
};

export const organizationExample = { success: true, data: organization };

/** Answers `?name=harbor+str&limit=1`. */
export const organizationsExample = {
  success: true,
  data: [
    {
      ...organization,
      given: sumOf(ofFunder),
      received: { records: 0, amount: 0 },
      match: "prefix",
    },
  ],
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
