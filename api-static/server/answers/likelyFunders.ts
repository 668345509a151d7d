// Answers with funders that may give to an organization for the first time, each with its reasons, from the tables of the index.

import { type Basis, recentYears } from "../../contract/answers/likelyFunders.ts";
import { type Ein, formatEin } from "../../contract/ein.ts";
import type { LikelyFundersRequest } from "../../contract/operations/topics.ts";
import { paths } from "../../contract/request.ts";
import { formatCents, stringify } from "../../contract/text/amount.ts";
import { nameCause } from "../../contract/text/causes.ts";
import { nameState } from "../../contract/text/states.ts";
import { likelyFunderTables } from "../../release/layout.ts";
import { keySql, type ReadRows } from "../../search/indexDatabase.ts";
import { rankingSql } from "../../search/likelyFunders.ts";
import type { Release } from "../../search/release.ts";
import { prepareError, type Reply } from "../http/reply.ts";
import { type Asked, prepareFound, refuseTopic } from "./asked.ts";

/** What funders are sought by. */
type Kind = { readonly state: string | null; readonly cause: string | null };

/** The funders that gave before, by filed and by likely recipient. */
const givenSql = `SELECT recipient_ein::UINTEGER AS ein, funder_ein FROM by_recipient WHERE recipient_ein = ${keySql}
UNION SELECT matched_ein::UINTEGER, funder_ein FROM by_match WHERE matched_ein = ${keySql}`;

/** The funders of its kinds. Each kind is a constant when the statement is planned, so that DuckDB reads only the rows of it. */
const tastesSql = [1, 2, 3]
  .map((at) => `FROM ${likelyFunderTables.tastes.table} WHERE taste = getvariable('kinds')[${at}]`)
  .join(" UNION ALL ");

/** The state of its newest grant, for those that the list of organizations lacks. */
const filedStateSql = `
SELECT text FROM by_funder JOIN states ON states.id = recipient_state
WHERE position = (SELECT arg_min(position, rowid) FROM by_recipient WHERE recipient_ein = ${keySql})`;

/** The answer with likely funders; an error if the release serves none, or knows neither a grant to the organization nor its name. */
export async function answerLikelyFunders(asked: Asked, request: LikelyFundersRequest): Promise<Reply> {
  const { exchange, release, admit } = asked;
  const { ein } = request;
  const listed = readListed(release, ein);
  const found = await release.search.query(ein, (read) => find(read, release, request, listed), admit());
  if (found === undefined) return { ...refuseTopic(asked, "recipient", ein), answeredBy: "search" };
  const { basis, kind, rows } = found;
  const { version, basis: facts } = release.facts.likely_funders;
  const { why_not, evaluated } = facts[basis];
  if (why_not !== null) {
    const message = `lists of likely funders are not served: ${why_not}`;
    return { ...prepareError(exchange, { code: "not_served", message }), answeredBy: "search" };
  }
  const lines = rows.map((row) => {
    const funder_ein = formatEin(row.funder_ein);
    const reasons = [...explain(row, kind, ein), ...explainAccepts(release, funder_ein)];
    return stringify({ funder_ein, score: row.score, reasons });
  });
  const data = lines.length === 0 ? "" : `\n${lines.join(",\n")}\n`;
  const model = JSON.stringify({ version, basis, evaluated });
  return prepareFound(exchange, Buffer.from(`{"success":true,"data":[${data}],"model":${model}}\n`));
}

/** Ranks funders, if such lists are served; undefined if nobody knows the organization. */
async function find(
  read: ReadRows,
  release: Release,
  request: LikelyFundersRequest,
  listed: Kind | undefined,
) {
  const given = Number((await read(`SELECT count(*)::DOUBLE FROM (${givenSql})`))[0]?.[0]);
  if (given === 0 && listed === undefined) return undefined;
  const basis: Basis = given > 0 ? "grants" : "organization";
  const filed = async () => ((await read(filedStateSql))[0]?.[0] as string | undefined) ?? null;
  const kind = {
    state: request.state ?? listed?.state ?? (await filed()),
    cause: request.cause ?? listed?.cause ?? null,
  };
  const isServed = release.facts.likely_funders.basis[basis].why_not === null;
  return { basis, kind, rows: isServed ? await rank(read, request, kind) : [] };
}

/** The state and cause of an organization on the list. */
function readListed({ organizations }: Release, ein: Ein): Kind | undefined {
  const line = organizations.find(ein);
  if (line === undefined) return undefined;
  const { state, ntee } = JSON.parse(line.toString()) as { state: string | null; ntee: string | null };
  return { state: state?.toUpperCase() ?? null, cause: ntee };
}

/** A funder with what `rankingSql` counts. */
type Ranked = Readonly<
  Record<"funder_ein" | "score" | "in_state" | "in_group" | "in_cause" | "recipients" | "recent", number>
> & {
  readonly via: number | null;
  readonly shared: number | null;
  /** Cents, in decimal. */
  readonly low: string;
  readonly high: string;
};

/** The condition on what the newest return of a funder states, if one does. */
const acceptsSql =
  "coalesce((SELECT max(stated.accepts) FROM stated WHERE stated.ein = funder_ein), 'unstated') = $accepts::VARCHAR";

async function rank(read: ReadRows, request: LikelyFundersRequest, kind: Kind): Promise<Ranked[]> {
  const { state, cause, accepts, maxTypicalCents, limit } = request;
  const conditions = [
    ...(state === undefined ? [] : ["in_state > 0"]),
    ...(cause === undefined ? [] : [cause.length === 1 ? "in_group > 0" : "in_cause > 0"]),
    ...(accepts === undefined ? [] : [acceptsSql]),
    ...(maxTypicalCents === undefined ? [] : ["middle <= $most::BIGINT"]),
  ];
  const kinds = new Set([kind.state, kind.cause?.[0], kind.cause?.slice(0, 2)].filter((one) => one != null));
  await read("SET VARIABLE kinds = string_split($kinds::VARCHAR, ',')", { kinds: [...kinds].join() });
  const ranking = rankingSql({
    targets: `SELECT ${keySql}::UINTEGER AS ein, $state::VARCHAR AS state, $cause::VARCHAR AS cause`,
    given: givenSql,
    schema: "main",
    tastes: tastesSql,
    limit: String(limit),
    ...(conditions.length > 0 && { condition: conditions.join(" AND ") }),
  });
  const rows = await read(
    `SELECT to_json(ranked)::VARCHAR
    FROM (SELECT * REPLACE (low::VARCHAR AS low, high::VARCHAR AS high) FROM (${ranking})) AS ranked ORDER BY place`,
    {
      ...kind,
      ...(accepts !== undefined && { accepts }),
      ...(maxTypicalCents !== undefined && { most: maxTypicalCents }),
    },
  );
  return rows.map(([json]) => JSON.parse(String(json)) as Ranked);
}

/** What speaks for a funder, the strongest first, each with the path of an answer that shows it. */
function explain(row: Ranked, { state, cause }: Kind, ein: Ein): object[] {
  const funder = formatEin(row.funder_ein);
  const history = `${paths.listFunderGrants.replace("{funder_ein}", funder)}?`;
  const summary = paths.summarizeFunder.replace("{funder_ein}", funder);
  const via = row.via === null ? undefined : formatEin(row.via);
  const shared = row.shared ?? 0;
  const code = cause?.slice(0, row.in_cause > 0 ? 2 : 1);
  const ofCause = row.in_cause > 0 ? row.in_cause : row.in_group;
  const shareOf = (part: number) => Math.round((part / row.recipients) * 10_000) / 10_000;
  const percentOf = (part: number) =>
    `${Math.round(shareOf(part) * 100)} % of its ${count(row.recipients, "recipient")}`;
  const [low, high] = [row.low, row.high].map(sayDollars);
  const reasons = [
    via !== undefined && {
      kind: "shared_recipients",
      text: `Gave to ${count(shared, "organization")} that ${via}, a funder of ${ein}, gave to.`,
      href: `${paths.listSharedRecipients}?funders=${funder},${via}`,
      funder_ein: via,
      recipients: shared,
    },
    code !== undefined &&
      ofCause > 0 && {
        kind: "cause",
        text: `${percentOf(ofCause)} work in ${nameCause(code)}.`,
        href: `${history}recipient_cause=${code}`,
        cause: code,
        share: shareOf(ofCause),
        recipients: ofCause,
      },
    state !== null &&
      row.in_state > 0 && {
        kind: "state",
        text: `${percentOf(row.in_state)} are in ${nameState(state)}.`,
        href: `${history}recipient_state=${state}`,
        state,
        share: shareOf(row.in_state),
        recipients: row.in_state,
      },
    {
      kind: "first_grants",
      text: `Its usual first grant is ${low === high ? low : `${low} to ${high}`}.`,
      href: summary,
      low: BigInt(row.low),
      high: BigInt(row.high),
    },
    {
      kind: "recent",
      text: `Gave to ${count(row.recent, "recipient")} in the newest ${recentYears} years.`,
      href: summary,
      recipients: row.recent,
    },
  ];
  return reasons.filter((reason) => reason !== false);
}

/** Whether the funder takes applications, if a return states it. */
function explainAccepts({ organizations }: Release, ein: Ein): object[] {
  const whole = organizations.findWhole(ein);
  const { applications } = (whole === undefined ? {} : JSON.parse(whole.toString())) as {
    applications?: { accepts: "yes" | "no" | null; tax_year: number } | null;
  };
  if (!applications?.accepts) return [];
  const { accepts, tax_year } = applications;
  const does =
    accepts === "yes" ? "Takes applications" : "Gives only to organizations that it selects itself";
  const href = paths.readOrganization.replace("{ein}", ein);
  return [{ kind: "accepts", text: `${does} (${tax_year} return).`, href, accepts, tax_year }];
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;

/** e.g., "$5,000", without cents. */
const sayDollars = (cents: string) =>
  `$${Number(formatCents(BigInt(cents))).toLocaleString("en-US", { maximumFractionDigits: 0 })}`;
