// Defines the examples of the OpenAPI document: invented grants in the form of real filings.
import { type CsvForm, formatCsvHeader, formatCsvRow, matchCells, matchColumns } from "../contract/csv.ts";
import type { Match } from "../contract/matches.ts";
import { type GrantRecord, recordFields } from "../contract/record.ts";

/** Two grants as the API writes them, with both decimals of each amount. */
const lines = [
  '{"id":39706,"funder_ein":"131635294","transaction_year":2023,"recipient_name":"GRACE VALLEY HEALTH CLINIC INC",' +
    '"recipient_ein":"530196605","type":"Schedule I","amount":172968.00,"non_cash_amount":null,' +
    '"non_cash_description":null,"purpose":"FOOD ASSISTANCE PROGRAM","created_at":"2024-11-19T04:00:00Z"}',
  '{"id":8953,"funder_ein":"131635294","transaction_year":2023,"recipient_name":"Harbor Street Food Bank",' +
    '"recipient_ein":null,"type":"Schedule I","amount":0.00,"non_cash_amount":15250.50,' +
    '"non_cash_description":"CANNED FOOD","purpose":null,"created_at":"2024-11-19T04:00:00Z"}',
];

const grants = lines.map((line) => JSON.parse(line) as GrantRecord);

const plainCsv: CsvForm = { isEscapingFormulas: false, isForExcel: false, hasNames: false };
const csvRows = lines.map((line) => formatCsvRow(line, plainCsv, () => ""));

export const csvExample = formatCsvHeader(plainCsv) + csvRows.join("");

/** Has only the grants that match the search of `searchExample`. */
export const searchCsvExample = formatCsvHeader(plainCsv) + csvRows[0];

/** Answers `?purpose=food&min_amount=10000&limit=1`. */
export const searchExample = { success: true, data: [grants[0]], total: 48, limit: 1, offset: 0 };

/** Answers `?limit=2` of the funder. */
export const historyExample = { success: true, data: grants, total: 1723, limit: 2, offset: 0 };

const match = {
  ...{ id: 8954, matched_ein: "530196605", match_rule: "name_and_place", match_score: 0.994 },
  match_evidence: "Listed as GRACE VALLEY HEALTH CLINIC INC, AUSTIN, TX 78701, 2025.",
} as const satisfies Match;

const matchedLine =
  '{"id":8954,"funder_ein":"200253310","transaction_year":2022,"recipient_name":"Grace Valley Health Clinic",' +
  '"recipient_ein":null,"type":"990-PF","amount":5000.00,"non_cash_amount":null,' +
  '"non_cash_description":null,"purpose":"GENERAL SUPPORT","created_at":"2024-11-19T04:00:00Z"}';

/** Answers `?matched=include` of the recipient. */
export const recipientHistoryExample = {
  success: true,
  data: [grants[0], JSON.parse(matchedLine) as GrantRecord],
  matches: [match],
  ...{ total: 2, limit: 100, offset: 0 },
};

/** The same as CSV. */
export const recipientCsvExample = [
  formatCsvHeader(plainCsv, recordFields, matchColumns),
  formatCsvRow(lines[0] as string, plainCsv, () => "", recordFields, matchCells(undefined, plainCsv)),
  formatCsvRow(matchedLine, plainCsv, () => "", recordFields, matchCells(match, plainCsv)),
].join("");

export const grantExample = {
  success: true,
  data: grants[0],
  source: {
    ...{ object_id: "202303329349100200", form: "990", period: "2022-12" },
    ...{ zip: "2023_TEOS_XML_11A.zip", row: 0 },
  },
};

const sizes = [
  { from: null, below: 0, records: 0, amount: 0 },
  { from: 0, below: 1_000, records: 1, amount: 0 },
  { from: 1_000, below: 10_000, records: 0, amount: 0 },
  { from: 10_000, below: 100_000, records: 0, amount: 0 },
  { from: 100_000, below: 1_000_000, records: 1, amount: 172968 },
  { from: 1_000_000, below: null, records: 0, amount: 0 },
];

const clinic = { recipient_ein: "530196605", recipient_name: "GRACE VALLEY HEALTH CLINIC INC" };

const bothRecipients = [
  { ...clinic, records: 1, amount: 172968 },
  { recipient_ein: null, recipient_name: "Harbor Street Food Bank", records: 1, amount: 0 },
];

export const funderSummaryExample = {
  success: true,
  data: {
    funder_ein: "131635294",
    ...{ records: 2, amount: 172968, first_year: 2023, last_year: 2023 },
    non_cash: { records: 1, share: 0.5 },
    years: [{ transaction_year: 2023, records: 2, amount: 172968 }],
    sizes,
    largest_grant: grants[0],
    recipients: 2,
    top_recipients: bothRecipients,
    received: { records: 0, amount: 0 },
    repeated: { records: 0, amount: 0, years: [] },
  },
};

export const totalsExample = {
  success: true,
  data: {
    ...{ records: 2, amount: 172968, funders: 1, recipients: 2, first_year: 2023, last_year: 2023 },
    years: [{ transaction_year: 2023, records: 2, amount: 172968 }],
    sizes,
    top_funders: [{ funder_ein: "131635294", records: 2, amount: 172968 }],
    top_recipients: bothRecipients,
    without_recipient: { records: 0, amount: 0 },
  },
};

/** Answers `?by=recipient&limit=2`. */
export const groupsExample = {
  success: true,
  data: bothRecipients,
  ...{ total: 2, records: 2, amount: 172968, limit: 2, offset: 0 },
};

/** Answers `?by=funder`. */
export const groupsCsvExample = "funder_ein,records,amount\r\n131635294,2,172968.00\r\n";

const clinicYears = [{ transaction_year: 2023, records: 1, amount: 172968 }];

export const recipientSummaryExample = {
  success: true,
  data: {
    ...clinic,
    ...{ records: 1, amount: 172968, first_year: 2023, last_year: 2023 },
    non_cash: { records: 0, share: 0 },
    years: clinicYears,
    sizes: sizes.map((size) => (size.amount > 0 ? size : { ...size, records: 0 })),
    largest_grant: grants[0],
    funders: 1,
    top_funders: [{ funder_ein: "131635294", records: 1, amount: 172968 }],
    filed: { records: 1, amount: 172968, funders: 1, years: clinicYears },
    matched: {
      ...{ records: 1, amount: 5000, funders: 1 },
      years: [{ transaction_year: 2022, records: 1, amount: 5000 }],
      rules: [{ match_rule: "history", records: 1 }],
    },
  },
};

/** Answers `?funders=131635294,200253310&limit=1`. */
export const sharedRecipientsExample = {
  success: true,
  data: [
    {
      ...clinic,
      funders: [
        { funder_ein: "131635294", records: 1, amount: 172968 },
        { funder_ein: "200253310", records: 3, amount: 75000 },
      ],
    },
  ],
  ...{ total: 1, limit: 1, offset: 0 },
  funders: ["131635294", "200253310"].map((funder_ein) => ({
    ...{ funder_ein, records: 2, amount: 172968, sizes },
  })),
};

const organization = { ein: "131635294", name: "HARBOR STREET FOUNDATION", city: "NEW YORK", state: "NY" };

export const organizationExample = { success: true, data: organization };

/** Answers `?name=harbor+str&limit=1`. */
export const organizationsExample = {
  success: true,
  data: [
    {
      ...organization,
      given: { records: 2, amount: 172968 },
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
    peers: [{ funder_ein: "237181863", shared_recipients: 5, recipients: 16, score: 0.217065 }],
  },
};

const recipientPeer = { recipient_ein: "511102418", recipient_name: "LAKESIDE CHILDREN'S CLINIC" };

export const recipientPeersExample = {
  success: true,
  data: {
    recipient_ein: "530196605",
    peers: [{ ...recipientPeer, shared_funders: 2, funders: 7, score: 0.377964 }],
  },
};
