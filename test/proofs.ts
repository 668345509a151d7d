// Owns how much of each proof is run: the short form by default, the whole by PROOFS=whole.

const { PROOFS } = process.env;
if (PROOFS !== undefined && PROOFS !== "whole")
  throw new Error(`PROOFS must be "whole" or not be set, got "${PROOFS}"`);
const isWhole = PROOFS === "whole";

const count = (short: number, whole: number) => (isWhole ? whole : short);

/** How many of each; a proof's name or a printed line says how many it is. */
export const proofs = {
  /** Random moments at which a sync is killed. */
  killedMoments: count(3, 100),
  /** Times that two syncs start together. */
  syncsAtOnce: count(2, 20),
  /** Records of the largest export. */
  exportedRecords: count(20_000, 500_000),
  /** Seconds of each load on a server. */
  loadSeconds: count(1, 30),
  /** Requests per second of the load that is to be answered whole. */
  loadRate: count(30, Number.POSITIVE_INFINITY),
  /** Requests that are meant to do harm. */
  hostileRequests: count(2_000, 200_000),
  /** Rows of the sample that is synced and compared row by row. */
  syncedRows: count(1_500, 20_000),
  /** Warehouses of any tables that are synced. */
  anyWarehouses: count(3, 40),
  /** Releases with a flipped bit, and as many files that are cut off or missing. */
  damagedFiles: count(3, 60),
  /** Queries of any filters, each against a look at every record. */
  anySearches: count(60, 350),
  /** Patterns, each against a look at every text. */
  anyTexts: count(120, 400),
  /** Summaries, each against a look at every record. */
  anySummaries: count(60, 300),
  /** Exports of any filters, each against a look at every record. */
  anyExports: count(20, 60),
  /** Queries in any spelling, through nginx and past it. */
  anyEdgeQueries: count(120, 400),
  /** Requests of noise, in process. */
  noiseRequests: count(600, 2_000),
} as const;

/** Every `step`th of the cases in the short form, all of them in the whole. */
export function spreadOf<Case>(name: string, cases: readonly Case[], step: number): readonly Case[] {
  return tell(
    name,
    cases,
    cases.filter((_, index) => index % step === 0),
  );
}

/** The chosen cases in the short form, all of them in the whole. */
export function chosenOf<Case>(
  name: string,
  cases: readonly Case[],
  isChosen: (one: Case) => boolean,
): readonly Case[] {
  return tell(name, cases, cases.filter(isChosen));
}

/** The first case of each kind in the short form, all of them in the whole. */
export function oneOfEach<Case>(
  name: string,
  cases: readonly Case[],
  kindOf: (chosen: Case) => string | undefined,
): readonly Case[] {
  const kinds = cases.map(kindOf);
  return tell(
    name,
    cases,
    cases.filter((_, index) => kinds.indexOf(kinds[index]) === index),
  );
}

/** Says how many of the cases are run: none is left out unseen. */
function tell<Case>(name: string, cases: readonly Case[], short: readonly Case[]): readonly Case[] {
  if (isWhole) return cases;
  console.log(`short form: ${short.length} of ${cases.length} ${name}; make proofs runs all`);
  return short;
}
