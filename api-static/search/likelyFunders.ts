// Builds the SQL that ranks likely funders, for the server, and for the night that measures how right they are.
import { popularMax, weights } from "../contract/answers/likelyFunders.ts";
import { scoreUnit } from "../contract/answers/peers.ts";
import { likelyFunderTables } from "../release/layout.ts";

/** What is asked, as SQL. */
export type Ranking = {
  /** A query of the recipients (ein), each with its state and its cause (NTEE), or null. */
  readonly targets: string;
  /** A query of the funders that gave before (ein, funder_ein), which are left out. */
  readonly given: string;
  /** The schema of the three tables of likely funders. */
  readonly schema: string;
  /** A query of the tastes of funders that the targets can have; without it, all are read. */
  readonly tastes?: string;
  /** A condition on the columns of the result. */
  readonly condition?: string;
  /** SQL of the number of funders for each recipient. */
  readonly limit: string;
  /** False if funders that gave before say nothing of others. */
  readonly hasKin?: boolean;
};

/** The share of a funder's recipients that have something, as if there were a few more, so that one of one is not all. */
const shareSql = (count: string) => `((${count} + ${weights.known}) / (recipients + ${weights.of}))`;

/** Counted are the funders of the cause and of its major group, each half. A state or cause that nobody knows is the same factor for all. */
const scoreSql = `round(1000 * recent * ${shareSql("in_state")} * ${shareSql("(in_group + in_cause) / 2")}
  * (1 + ${weights.kin} * kin / ${scoreUnit}))::UBIGINT`;

const counted = (name: string, taste: string) => ({
  column: `coalesce(${name}.recipients, 0) AS ${name}`,
  join: `LEFT JOIN tastes AS ${name} ON ${name}.taste = targets.${taste} AND ${name}.funder_ein = sought.funder_ein`,
});

/**
 * SQL of likely funders of each recipient, best first: ein, funder_ein, kin (sum of the similarities to funders that gave before, in millionths),
 * via (the most similar of these) and shared (their recipients in common); in_state, in_group and in_cause (its recipients of that kind);
 * recipients, recent, low, middle and high of `habits`; score; place, from 1. No two funders of a recipient tie.
 */
export function rankingSql({
  targets,
  given,
  schema,
  tastes = `FROM ${schema}.${likelyFunderTables.tastes.table}`,
  condition = "true",
  limit,
  hasKin = true,
}: Ranking): string {
  const { kin, habits } = likelyFunderTables;
  const counts = [
    counted("in_state", "state"),
    counted("in_group", "major_group"),
    counted("in_cause", "cause"),
  ];
  const popular = ["state", "major_group", "cause"].map(
    (taste) =>
      `SELECT ein, funder_ein FROM targets JOIN tastes ON taste = ${taste} WHERE place <= ${popularMax}`,
  );
  return `
WITH asked AS (${targets}), targets AS (
  SELECT ein, state, cause[1] AS major_group, cause[:2] AS cause FROM asked
), tastes AS (${tastes}), given AS (${given}), near AS (
  SELECT given.ein, peer_ein AS funder_ein, sum(score)::BIGINT AS kin,
    arg_max(given.funder_ein, score * 4294967296 - given.funder_ein) AS via,
    arg_max(shared, score * 4294967296 - given.funder_ein) AS shared
  FROM given JOIN ${schema}.${kin.table} AS kin USING (funder_ein) WHERE ${hasKin} GROUP BY ALL
), sought AS (
  FROM (${[...popular, "SELECT ein, funder_ein FROM near"].join(" UNION ")}) ANTI JOIN given USING (ein, funder_ein)
), known AS (
  SELECT sought.ein, sought.funder_ein, coalesce(kin, 0) AS kin, via, shared, ${counts.map(({ column }) => column).join(", ")},
    habits.recipients, recent, low, middle, high
  FROM sought JOIN targets USING (ein) JOIN ${schema}.${habits.table} AS habits USING (funder_ein)
  ${counts.map(({ join }) => join).join(" ")}
  LEFT JOIN near ON near.ein = sought.ein AND near.funder_ein = sought.funder_ein
  WHERE sought.funder_ein <> sought.ein
), scored AS (SELECT *, ${scoreSql} AS score FROM known)
SELECT *, row_number() OVER (PARTITION BY ein ORDER BY score DESC, funder_ein) AS place FROM scored WHERE ${condition}
QUALIFY place <= ${limit} ORDER BY ein, place`;
}

/** SQL of the funders of most recipients in the targets' state or major group: ein, funder_ein and place, as of `rankingSql`. */
export function popularSql({ targets, given, schema, limit }: Ranking, taste: "state" | "cause[1]"): string {
  return `
WITH targets AS (${targets}), given AS (${given}), popular AS (
  SELECT ein, funder_ein, place AS place_of_all FROM targets JOIN ${schema}.${likelyFunderTables.tastes.table} ON taste = ${taste}
  WHERE place_of_all <= ${popularMax} AND funder_ein <> ein
)
SELECT ein, funder_ein, row_number() OVER (PARTITION BY ein ORDER BY place_of_all) AS place
FROM popular ANTI JOIN given USING (ein, funder_ein) QUALIFY place <= ${limit}`;
}
