// Sets how much of each long test runs: a short form by default, all of it with PROOFS=whole.

const { PROOFS } = process.env;
if (PROOFS !== undefined && PROOFS !== "whole")
  throw new Error(`PROOFS must be "whole" or unset, got "${PROOFS}"`);
/** True if every long test runs whole. */
export const isWhole = PROOFS === "whole";

const count = (short: number, whole: number) => (isWhole ? whole : short);

/** How many of each; a test's name or a printed line says how many ran. */
export const proofs = {
  /** Rows of the sample that is synced and compared row by row. */
  syncedRows: count(1_500, 8_000),
  /** Random warehouses that are synced. */
  anyWarehouses: count(2, 6),
  /** Random lists of grants that are written as records and read back. */
  anyRecordRows: count(8, 12),
  /** Random footers of a Parquet file. */
  anyFooters: count(20, 25),
  /** Releases with a flipped bit, and as many with a truncated or missing file. */
  damagedFiles: count(2, 15),
  /** Random calls, messages and bodies that agents send. */
  agentMessages: count(50, 600),
  /** Random courses of releases, whose newest grants are found. */
  anyChains: count(15, 40),
  /** Random searches, each compared with a scan of every record. */
  anySearches: count(25, 120),
  /** Random tables of grants that are indexed; searches of each are compared with DuckDB's. */
  anyIndexes: count(3, 6),
  /** Random tables of grants; totals and groups of searches of each are compared with DuckDB's. */
  anyGroups: count(3, 6),
  /** Random patterns, each compared with a scan of every text. */
  anyTexts: count(60, 150),
  /** Summaries of funders, and of recipients, each compared with a scan of every record. */
  summaries: count(12, 40),
  /** Random links between funders and recipients, whose peers are compared with a comparison of every two lists. */
  anyPeers: count(8, 40),
  /** Random exports, each compared with a scan of every record. */
  anyExports: count(5, 20),
  /** Random returns, each in a random dress. */
  anyReturns: count(60, 1_000),
  /** Random bytes of a zip that are flipped. */
  anyFlips: count(40, 1_000),
  /** Publishes that are killed. */
  killedPublishes: count(3, 8),
  /** Nights of a simulated course. */
  simulatedNights: count(3, 60),
  /** Random contents, compressed and decompressed. */
  anyInflations: count(10, 150),
  /** Bytes from one cut of a return to the next. */
  cutStep: count(41, 7),
  /** Random queries of pages, in plain spellings and others. */
  anyPlainQueries: count(2_000, 10_000),
  /** Random requests, in process. */
  noiseRequests: count(300, 800),
} as const;

/** Every `step`th case in the short form, all of them in the whole form. */
export function spreadOf<Case>(name: string, cases: readonly Case[], step: number): readonly Case[] {
  return report(
    name,
    cases,
    cases.filter((_, index) => index % step === 0),
  );
}

/** The first case of each kind in the short form, all of them in the whole form. */
export function oneOfEach<Case>(
  name: string,
  cases: readonly Case[],
  kindOf: (chosen: Case) => string | undefined,
): readonly Case[] {
  const kinds = cases.map(kindOf);
  return report(
    name,
    cases,
    cases.filter((_, index) => kinds.indexOf(kinds[index]) === index),
  );
}

/** Prints how many of the cases run, so that none is omitted silently. */
function report<Case>(name: string, cases: readonly Case[], short: readonly Case[]): readonly Case[] {
  if (isWhole) return cases;
  console.log(`short form: ${short.length} of ${cases.length} ${name}; make proofs runs all`);
  return short;
}
