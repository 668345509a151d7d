// Builds the table of requests that every host must answer alike, from facts of a release.
import { downloadKey, downloadNames } from "../../api-static/contract/answers/downloads.ts";
import type { TableFacts } from "./tableFacts.ts";
import { ok, type Query, refusal, type TableRequest } from "./tableRequest.ts";
import { groups, rangesAndLists, totals } from "./totalsTable.ts";

/** All requests of the table. */
export function requestTable(facts: TableFacts): TableRequest[] {
  return [
    ...wholeFunders(facts),
    ...searches(facts),
    ...rangesAndLists(facts),
    ...commonSearches(facts),
    ...totals(facts),
    ...groups(facts),
    ...keys(facts),
    ...summaries(facts),
    ...peers(facts),
    ...recipientGrants(facts),
    ...sharedRecipients(facts),
    ...oneGrant(facts),
    ...exports(facts),
    ...feeds(facts),
    ...organizations(facts),
    ...reconciliation(facts),
    ...names(facts),
    ...downloads(),
    ...changes(),
    ok("/v1/report"),
    ...redirects(facts),
    ...errors(facts),
  ];
}

/** Windows of whole funders, aligned and not, around the end, at every relevant limit, in both spellings. */
function wholeFunders(facts: TableFacts): TableRequest[] {
  const queries = [facts.big, facts.middle, facts.small].flatMap(({ ein, records }) =>
    windowsOf(records).map((window) => ({ ein, window })),
  );
  return queries.flatMap(({ ein, window }) => [
    ok(`/v1/funders/${ein}/history`, window),
    ok("/v1/history", { funder_ein: ein, ...window }),
  ]);
}

/** The site's pages and files. They are no operations of the API, so the OpenAPI document has none of them. */
export function siteTable(assets: readonly string[]): TableRequest[] {
  const addresses = ["/", "/funder", "/recipient", "/compare", "/docs", "/status", "/downloads"];
  return [
    ...addresses.flatMap((path) => [ok(path), ok(path, { ein: "131635294", purpose: "a b" })]),
    ok("/icon.svg"),
    ok("/%69con%2Esvg"),
    ...assets.map((name) => ok(`/assets/${name}`)),
    { path: "/index.html", status: 308, location: "/" },
    { path: "/funder.html?ein=131635294", status: 308, location: "/funder?ein=131635294" },
    { path: "/assets/none-00000000.js", status: 404, code: "not_found" },
    { path: "/404.html?ref=a", status: 308, location: "/404?ref=a" },
    ...missingPages.map((path): TableRequest => ({ path, status: 404 })),
  ];
}

/** Addresses without a page: mistyped, mangled by whatever showed the link, guessed by a scanner. */
const missingPages = [
  ...["/404", "/nothing", "/funder/", "/Funder", "/docs/peers?utm_source=a", "/compare)", "/v1x", "/assets"],
  ...[
    "/%C3%BCber%20uns",
    "/none.html",
    "/none.png",
    "/metrics",
    "/%6detrics",
    "/manifest.json",
    "/wp-login.php",
  ],
];

/** Windows over this many records. */
function windowsOf(records: number): Query[] {
  const windows: Query[] = [
    {},
    { offset: 0 },
    { offset: 100 },
    { limit: 1, offset: records - 1 },
    { offset: 1_000_000_000 },
  ];
  for (const limit of [1, 2, 99, 100, 101, 999, 1000]) {
    const last = Math.floor((records - 1) / limit) * limit;
    const offsets = [0, 1, limit - 1, limit, limit + 1, last, last + limit, records, records - 1, 77];
    windows.push({ limit }, ...offsets.map((offset) => ({ limit, offset })));
  }
  return windows;
}

/** Each filter alone, each pair, and all of them, as a search and on the funder's path, on several pages. */
function searches(facts: TableFacts): TableRequest[] {
  const others: Query = {
    recipient_ein: facts.recipientEin,
    transaction_year: facts.year,
    purpose: facts.purposeWord.toUpperCase(),
    recipient_name: facts.nameWord.toLowerCase(),
    min_amount: facts.amount,
  };
  const pairs = Object.entries(others);
  const sets: Query[] = [
    {},
    others,
    ...pairs.flatMap(([name, value], index) => [
      { [name]: value },
      ...pairs.slice(index + 1).map(([other, otherValue]) => ({ [name]: value, [other]: otherValue })),
    ]),
  ];
  const windows: Query[] = [
    {},
    { limit: 1 },
    { limit: 1000 },
    { limit: 7, offset: 3 },
    { offset: 1_000_000_000 },
  ];
  return sets.flatMap((filters) =>
    windows.flatMap((window) => [
      ok("/v1/history", { ...filters, ...window }),
      ok("/v1/history", { funder_ein: facts.big.ein, ...filters, ...window }),
      ok(`/v1/funders/${facts.big.ein}/history`, { ...filters, ...window }),
      ok("/v1/history", { funder_ein: facts.unknownEin, ...filters, ...window }),
    ]),
  );
}

/** Searches with and without page files, at page sizes and in other windows. */
function commonSearches(facts: TableFacts): TableRequest[] {
  const year = { transaction_year: facts.year };
  const windows = [
    {},
    { offset: 100 },
    { offset: 400 },
    { offset: 50 },
    { limit: 1000 },
    { limit: 1000, offset: 1000 },
  ];
  return [
    {},
    year,
    { ...year, min_amount: "10000" },
    { min_amount: "10000.00", ...year },
    { min_amount: 1e6, ...year },
  ].flatMap((filters) => windows.map((window) => ok("/v1/history", { ...filters, ...window })));
}

/** Page keys as URLs. */
function keys({ big, small, year, purposeWord }: TableFacts): TableRequest[] {
  const offsets = [0, 100, Math.floor((big.records - 1) / 100) * 100].filter(
    (offset) => offset < big.records,
  );
  return [
    ...offsets.map((offset) => ok(`/v1/funders/${big.ein}/history-100-${offset}.json`)),
    ok(`/v1/funders/${big.ein}/history-1000-0.json`),
    ok(`/v1/funders/${small.ein}/history-100-0.json`),
    ok(`/v1/funders/${small.ein}/history-1000-0.json`), // has no file: the funder has at most 100 records
    ok("/v1/history/all/100-0.json"),
    ok("/v1/history/all/1000-0.json"),
    ok(`/v1/history/transaction_year=${year}/100-100.json`),
    ok(`/v1/history/transaction%5Fyear%3D${year}/100-0.json`),
    ok(`/v1/f%75nders/${big.ein}/histor%79`),
    ok("/v1/hist%6Fry", { limit: 5 }),
    ok(`/v1/history/transaction_year=${year}&min_amount=10000.00/100-0.json`),
    // Without a file, or past the end: the key still names the request.
    ok(`/v1/history/funder_ein=${big.ein}&purpose=${purposeWord.toLowerCase()}/100-0.json`),
    ok("/v1/history/purpose=caf%25C3%25A9+%2525/100-0.json"),
    ok("/v1/history/all/1000-1000000000.json"),
  ];
}

/** Summaries of known and unknown funders and recipients, and requests for none. */
function summaries({ big, recipientEin, unknownEin }: TableFacts): TableRequest[] {
  return (["funder", "recipient"] as const).flatMap((of): TableRequest[] => {
    const [ein, path] = [of === "funder" ? big.ein : recipientEin, `/v1/${of}s`];
    const hyphenated = `${ein.slice(0, 2)}-${ein.slice(2)}`;
    return [
      ok(`${path}/${ein}/summary`),
      { path: `${path}/${unknownEin}/summary`, status: 404, code: `${of}_not_found` },
      { path: `${path}/${ein}/grants`, status: 404, code: "not_found" },
      { path: `${path}/${hyphenated}/summary`, status: 308, location: `${path}/${ein}/summary` },
      ...["13163529/summary", `${ein}/summary?limit=5`, `${ein}/summary?${of}_ein=${ein}`].map((end) =>
        refusal(`${path}/${end}`),
      ),
    ];
  });
}

/** The peers of known and unknown funders and recipients, and requests for none. */
function peers({ big, middle, small, recipientEin, unknownEin }: TableFacts): TableRequest[] {
  return [
    ...[big, middle, small].map(({ ein }) => ok(`/v1/funders/${ein}/peers`)),
    ok(`/v1/recipients/${recipientEin}/peers`),
    { path: `/v1/funders/${unknownEin}/peers`, status: 404, code: "funder_not_found" },
    { path: `/v1/recipients/${unknownEin}/peers`, status: 404, code: "recipient_not_found" },
    {
      path: `/v1/funders/${big.ein.slice(0, 2)}-${big.ein.slice(2)}/peers`,
      status: 308,
      location: `/v1/funders/${big.ein}/peers`,
    },
    refusal("/v1/funders/abc/peers"),
    refusal(`/v1/recipients/${recipientEin}/peers?limit=5`),
  ];
}

/** The grants of a recipient, as filed and with likely ones, in pages and as CSV, and requests for none. */
function recipientGrants({ recipientEin, unknownEin, year, purposeWord }: TableFacts): TableRequest[] {
  const path = `/v1/recipients/${recipientEin}/history`;
  const hyphenated = `/v1/recipients/${recipientEin.slice(0, 2)}-${recipientEin.slice(2)}/history`;
  const unknown = `/v1/recipients/${unknownEin}/history`;
  const queries: Query[] = [
    {},
    ...["exclude", "include", "only"].map((matched) => ({ matched })),
    { matched: "include", transaction_year: year, limit: 1 },
    { matched: "include", purpose: purposeWord.toUpperCase(), sort: "amount", limit: 7, offset: 3 },
    { matched: "only", offset: 1_000_000_000 },
  ];
  return [
    ...queries.map((query) => ok(path, query)),
    ok(`${path}.csv`),
    ok(`${path}.csv`, { matched: "include", names: 1, excel: 1 }),
    ...[unknown, `${unknown}?matched=include`, `${unknown}.csv`].map((missing): TableRequest => {
      return { path: missing, status: 404, code: "recipient_not_found" };
    }),
    { path: `${hyphenated}?matched=only`, status: 308, location: `${path}?matched=only` },
    ...["yes", "", "Include", "only&matched=only", "only&limit=0", "only&sort=amount&offset=100001"].map(
      (matched) => refusal(`${path}?matched=${matched}`),
    ),
    refusal(`${path}?recipient_ein=${recipientEin}`),
    ...["limit=1", "sort=amount", "matched=x"].map((query) => refusal(`${path}.csv?${query}`)),
    ...["history", "history.csv", "history/summary", "history.atom"].map((other) =>
      refusal(`/v1/${other}?recipient_ein=${recipientEin}&matched=include`),
    ),
    refusal("/v1/history/groups?by=year&matched=exclude"),
    refusal("/v1/recipients/abc/history"),
    { path: `${path}/`, status: 404, code: "not_found" },
  ];
}

/** The recipients that funders share, and requests for none. */
function sharedRecipients({ big, middle, small, year }: TableFacts): TableRequest[] {
  const path = "/v1/recipients/shared";
  const funders = [big, middle, small].map(({ ein }) => ein).join();
  return [
    ok(path, { funders }),
    ok(path, { funders, transaction_year: year, limit: 5, offset: 2 }),
    ok(path, { funders: small.ein }),
    ...[
      "",
      "?funders=",
      "?funders=12",
      `?funders=${big.ein},${big.ein}`,
      `?funders=${big.ein},`,
      `?funders=${big.ein},${big.ein.slice(0, 2)}-${big.ein.slice(2)}`,
      `?funders=${funders},100000000,100000001`,
      `?funders=${big.ein}&funders=${small.ein}`,
      `?funders=${big.ein}&limit=1001`,
      `?funders=${funders}&purpose=a`,
    ].map((query) => refusal(path + query)),
    { path: `${path}/`, status: 404, code: "not_found" },
  ];
}

/** CSV files in each form, and requests for none. */
function exports({ big, small, unknownEin, year }: TableFacts): TableRequest[] {
  const [hyphenated, form] = [`${big.ein.slice(0, 2)}-${big.ein.slice(2)}`, "history.csv?formulas=escape"];
  return [
    { path: `/v1/funders/${unknownEin}/history.csv?purpose=a`, status: 404, code: "funder_not_found" },
    { path: `/v1/funders/${hyphenated}/${form}`, status: 308, location: `/v1/funders/${big.ein}/${form}` },
    ok("/v1/history.csv", { transaction_year: year, names: 1 }),
    ok(`/v1/funders/${small.ein}/history.csv`, { excel: 1, names: 1 }),
    ok(`/v1/funders/${small.ein}/history.csv`),
    refusal("/v1/history.csv?excel=yes"),
    refusal("/v1/history?names=1"),
  ];
}

/** Feeds, which are empty after one release, in both formats and two spellings; and requests for none. */
function feeds({ big, unknownEin, recipientEin, purposeWord }: TableFacts): TableRequest[] {
  return ["history.atom", "history.feed.json"].flatMap((name): TableRequest[] => [
    ok(`/v1/${name}`),
    ok(`/v1/${name}`, {
      purpose: `${purposeWord.toUpperCase()} <&`,
      recipient_ein: recipientEin,
      match: "words",
    }),
    ok(`/v1/funders/${big.ein}/${name}`),
    { path: `/v1/funders/${unknownEin}/${name}`, status: 404, code: "funder_not_found" },
    ok(`/v1/${name}`, { funder_state: "NY" }),
    refusal(`/v1/${name}?funder_state=NY&limit=5`),
    refusal(`/v1/funders/abc/${name}`),
  ]);
}

/** A grant that is known, one that is not, and requests for none. */
function oneGrant({ grantId }: TableFacts): TableRequest[] {
  const path = "/v1/grants";
  return [
    ok(`${path}/${grantId}`),
    ok(`/%76%31/%67rants/${grantId}`),
    { path: `${path}%2F${grantId}`, status: 404, code: "not_found" },
    { path: `${path}/-9223372036854775808`, status: 404, code: "grant_not_found" },
    { path: `${path}/9223372036854775807`, status: 404, code: "grant_not_found" },
    ...["", "abc", "007", "-0", "1.0", "1.5", "%FF"].map((id) => refusal(`${path}/${id}`)),
    ...["9223372036854775808", "-9223372036854775809"].map((id) => refusal(`${path}/${id}`)),
    refusal(`${path}/${grantId}?limit=1`),
    { path, status: 404, code: "not_found" },
    { path: `${path}/${grantId}/`, status: 404, code: "not_found" },
  ];
}

/** An organization that is known, one that is not, and requests for none. */
function organizations({ organizationEin, unknownEin }: TableFacts): TableRequest[] {
  const path = "/v1/organizations";
  const known = organizationEin === undefined ? [] : [ok(`${path}/${organizationEin}`)];
  const linked = organizationEin ?? unknownEin;
  const searches: Query[] = [
    { name: "  FOUNDATION" },
    { name: "the fund", limit: 100 },
    { name: "fondation", state: "ny", role: "funder", limit: 3 },
    { name: "community h", role: "recipient" },
    { name: `${linked.slice(0, 2)}-${linked.slice(2)}` },
    { name: unknownEin },
    { name: "!?" },
  ];
  return [
    ...known,
    ...searches.map((query) => ok(path, query)),
    { path: `${path}/${unknownEin}`, status: 404, code: "organization_not_found" },
    {
      path: `${path}/${linked.slice(0, 2)}-${linked.slice(2)}`,
      status: 308,
      location: `${path}/${linked}`,
    },
    refusal(`${path}/abc`),
    refusal(`${path}/%FF`),
    refusal(`${path}/${unknownEin}?limit=1`),
    ...["", "?name=", "?name=%FF", "?state=ny", "?name=a&state=nyc&role=x&limit=101&sort=amount"].map(
      (query) => refusal(path + query),
    ),
    { path: `${path}/${unknownEin}/`, status: 404, code: "not_found" },
    refusal(`${path}/?name=a`),
  ];
}

/** The Reconciliation API: what it describes, and requests for none. */
function reconciliation({ organizationEin, unknownEin }: TableFacts): TableRequest[] {
  const path = "/v1/reconcile";
  const queries = (batch: unknown) => `${path}?queries=${encodeURIComponent(JSON.stringify(batch))}`;
  const others = ["?queries=", "?queries=%FF", "?queries=[]", "?callback=a", "?queries={}&queries={}"];
  return [
    ok(path),
    ok(queries({})),
    ok(
      queries({
        q0: { query: "Foundation", limit: 3 },
        q1: { query: organizationEin ?? unknownEin, type: "funder" },
        q2: { query: "Community Fund", properties: [{ pid: "state", v: "NY" }] },
      }),
    ),
    ok(`${path}/suggest/entity?prefix=foundation+a&cursor=5&type=funder`),
    ...(organizationEin === undefined ? [] : [ok(`${path}/preview?id=${organizationEin}`)]),
    { path: `${path}/preview?id=${unknownEin}`, status: 404, code: "organization_not_found" },
    ...["?prefix=", "?prefix=s&type_strict=any&filter=%FF"].flatMap((query) => [
      ok(`${path}/suggest/property${query}`),
      ok(`${path}/suggest/type${query}`),
    ]),
    ...others.map((query) => refusal(path + query)),
    refusal(queries({ q0: { query: "a", limit: 0 }, q1: {} })),
    refusal(`${path}/suggest/entity?prefix=${"a".repeat(201)}`),
    ...["", "?id=", "?id=12", "?ein=131635294"].map((query) => refusal(`${path}/preview${query}`)),
    ...["/", "/suggest", "/suggest/entities", "/preview/"].map(
      (end): TableRequest => ({ path: path + end, status: 404, code: "not_found" }),
    ),
  ];
}

/** Names of organizations; files of names that exist, and that do not; and texts that are not keys. */
function names({ organizationEin, unknownEin }: TableFacts): TableRequest[] {
  const known = organizationEin ?? unknownEin;
  const prefix = known.slice(0, 4);
  const many = Array.from({ length: 101 }, (_, index) => 100_000_000 + index);
  const texts = ["eins/131.json", "eins/13163.json", "eins/1316", "eins/131a.json", "eins/1316.json.gz"];
  const others = ["eins/.json", "eins/%EF%BC%91316.json", "words/har.json", "eins/..%2F1316.json", "eins/"];
  const paths = [...texts, ...others, "eins/1316.json?limit=1"];
  return [
    ...[known, unknownEin, `${unknownEin},${known}`, `${known.slice(0, 2)}-${known.slice(2)},${known}`].map(
      (eins) => ok("/v1/names", { eins }),
    ),
    ok(`/v1/names?eins=${many.slice(1)}`),
    ...["", "?eins=", "?eins=12", `?eins=${many}`, `?eins=${known}&limit=1`].map((query) =>
      refusal(`/v1/names${query}`),
    ),
    ok(`/v1/names/eins/${prefix}.json`),
    ok("/v1/names/eins/0000.json"),
    ...paths.map((path): TableRequest => ({ path: `/v1/names/${path}`, status: 404, code: "not_found" })),
  ];
}

/** A release that was made alone has an index with one entry, and no files of changes. */
function changes(): TableRequest[] {
  const texts = ["", "index", "index.json.gz", "index.json?a=1", "..%2Findex.json", "pending.json", "%FF"];
  const named = "20200101T000000Z..20200102T000000Z";
  return [
    ok("/v1/changes/index.json"),
    ...["ndjson.gz", "parquet"].map((ending): TableRequest => {
      const path = `/v1/changes/${named}.${ending}`;
      return { path, status: 410, code: "release_too_old" };
    }),
    ...[...texts, named, `${named}.csv`].map((name): TableRequest => {
      const path = `/v1/changes/${name}`;
      return { path, status: 404, code: "not_found" };
    }),
  ];
}

/** The files with all grants and their descriptions, and names of none. */
function downloads(): TableRequest[] {
  const others = [
    "",
    "/",
    "/grants.tsv",
    "/GRANTS.parquet",
    "/grants.parquet?limit=1",
    "/..%2F..%2Findex.html",
  ];
  return [
    ...downloadNames.map((name) => ok(`/${downloadKey(name)}`)),
    ...others.map((end): TableRequest => ({ path: `/v1/downloads${end}`, status: 404, code: "not_found" })),
  ];
}

function redirects({ big, recipientEin }: TableFacts): TableRequest[] {
  const hyphenated = `${big.ein.slice(0, 2)}-${big.ein.slice(2)}`;
  const recipient = `${recipientEin.slice(0, 2)}-${recipientEin.slice(2)}`;
  const path = `/v1/funders/${big.ein}/history`;
  return [
    { path: `/v1/funders/${hyphenated}/history`, status: 308, location: path },
    { path: `/v1/funders/${hyphenated}/history?limit=7`, status: 308, location: `${path}?limit=7` },
    ok("/v1/history", { funder_ein: `\t${hyphenated}\u00A0`, limit: " 5" }),
    ok("/v1/history", { funder_ein: `${hyphenated}, ${recipient}`, funder_state: " ny" }),
    ok("/v1/history", { recipient_ein: recipient, limit: 5 }),
    ok(path, { recipient_ein: recipient, limit: 5 }),
  ];
}

/** Queries that both operations reject. */
const refusedQueries = [
  "limit=0",
  "limit=1001",
  "limit=-1",
  "limit=abc",
  "limit=1.5",
  "limit=1e3",
  "limit=",
  "limit=1&limit=2",
  "offset=-1",
  "offset=1000000001",
  "offset=x",
  "offset=%20",
  "recipient_ein=123",
  "recipient_ein=1234567890",
  "recipient_ein=123-456789",
  "transaction_year=20",
  "transaction_year=20201",
  "transaction_year=-202",
  "purpose=",
  "purpose=%20%20",
  `purpose=${"a".repeat(201)}`,
  `recipient_name=${"%C3%A9".repeat(201)}`,
  "min_amount=1.234",
  "min_amount=1e3",
  "min_amount=Infinity",
  "min_amount=%2B5",
  "sort=records",
  "sort=amount&offset=100001",
  "min_year=20",
  "min_year=2021&max_year=2020",
  "transaction_year=2020&min_year=2020&max_year=2021",
  "max_amount=1e3",
  "min_amount=2&max_amount=1.99",
  `type=${"a".repeat(201)}`,
  "recipient_state=N",
  "recipient_state=NYC",
  "recipient_state=N1",
  "funder_state=",
  "funder_state=NY&funder_state=CA",
  "recipient_ein=131635294,",
  `recipient_ein=${Array.from({ length: 51 }, (_, index) => 100_000_000 + index)}`,
  ...["78", "787012", "7870a"].map((text) => `recipient_zip=${text}`),
  ...["AA", "A680", "4", "A6*"].map((text) => `recipient_cause=${text}`),
  ...["maybe", "YES", "constructor"].map((text) => `accepts=${text}`),
  "recipient_city=",
  "by=year",
  "Limit=5",
  "limit=0&offset=-1&sort=amount",
  "purpose=%FF",
  "purpose=caf%E9",
  "recipient_name=%ED%A0%80",
  "limit=%FF",
  "%FF=1",
  "purpose%C3=a",
];

/** As many parameters as a URL can have. */
const manyParameters = Array.from({ length: 1_300 }, (_, index) => `p${index}`).join("&");

/** Each kind of error. */
function errors({ big, unknownEin }: TableFacts): TableRequest[] {
  const missing = [
    `/v1/funders/${unknownEin}/history`,
    `/v1/funders/${unknownEin}/history?limit=1000&offset=1000`,
    `/v1/funders/${unknownEin}/history?purpose=a`,
    `/v1/funders/${unknownEin}/history-100-0.json`,
  ];
  const nowhere = [
    "/v1",
    "/v1/",
    "/v2/history",
    "/v1/history/",
    "/v1/history/all",
    "/v1/history/all/",
    "/v1/history/all/100-50.json",
    "/v1/history/all/100-0.json.gz",
    "/v1/history/purpose=caf%C3%A9/100-0.json",
    "/v1/history/purpose=Support/100-0.json",
    "/v1/history/purpose=%2e%2e%2f/100-0.json",
    "/v1/history/purpose=%FF/100-0.json",
    "/v1/history/purpose=%25FF/100-0.json",
    "/%FF",
    "/v1/history/..%2Fmanifest/100-0.json",
    `/v1/history/funder_ein=${big.ein}/100-0.json`,
    "/V1/history",
    "/v1/funders",
    `/v1/funders/${big.ein}`,
    `/v1/funders/${big.ein}/history/`,
    `/v1/funders/${big.ein}/history/100-0.json`,
    `/v1/funders/${big.ein}/history-100-50.json`,
    `/v1/funders/${big.ein}/history-50-0.json`,
    `/v1/funders/${big.ein}/history-100-0.json.gz`,
    "/R/",
    "/%",
    "/%00",
    "/..%2Fmanifest.json",
  ];
  return [
    ...refusedQueries.flatMap((query) => [
      refusal(`/v1/history?${query}`),
      refusal(`/v1/funders/${big.ein}/history?${query}`),
    ]),
    refusal(`/v1/funders/${big.ein}/history?funder_ein=${big.ein}`),
    refusal(`/v1/history?${manyParameters}`),
    refusal("/v1/history?funder_ein=12345678"),
    refusal("/v1/funders/12345678/history"),
    refusal("/v1/funders/abc/history?limit=0"),
    refusal("/v1/funders/%FF/history"),
    refusal("/v1/funders/13163529%FF/history?limit=5"),
    refusal("/v1/funders/%C3/history.csv"),
    refusal("/v1/recipients/%FF/summary"),
    refusal("/v1/history.csv?purpose=%FF"),
    refusal(`/v1/funders/${big.ein}/summary?%FF`),
    ...missing.map((path): TableRequest => ({ path, status: 404, code: "funder_not_found" })),
    ...nowhere.map((path): TableRequest => ({ path, status: 404, code: "not_found" })),
  ];
}
