// Lists questions that people ask, with the calls that answer each, and the SQL of the right answer.

/** What the questions are about, chosen from the data. */
export type Subject = {
  readonly funder: string;
  readonly second: string;
  readonly recipient: string;
  readonly year: number;
  readonly word: string;
  readonly nameWord: string;
  readonly otherWord: string;
  readonly type: string;
  /** Absent if there is no list of organizations. */
  readonly funder_name?: string;
  readonly recipient_name?: string;
  readonly recipient_city?: string;
  readonly state?: string;
};

/** Calls a tool and returns its values. */
export type Call = (tool: string, args: Record<string, unknown>) => Promise<Values>;

type Row = Readonly<Record<string, unknown>>;
type Summary = Row & { readonly years: Row[]; readonly largest_grant: Row };
type Values = {
  readonly data: Row[] & Row;
  readonly total: number;
  readonly next: Record<string, unknown> | null;
  readonly as_funder: Summary;
};

export type Question = {
  readonly ask: (subject: Subject) => string;
  readonly answer: (call: Call, subject: Subject) => Promise<readonly Row[]>;
  /** Its variables are those of the subject. */
  readonly sql: string;
  /** True if it needs the list of organizations. */
  readonly isOfNames?: boolean;
};

const totals = "count(*) AS records, sum(amount) AS amount";
const byAmount = "ORDER BY amount DESC, transaction_year DESC, id";

/** These values of each row. */
const pick = (rows: readonly Row[], ...keys: string[]): Row[] =>
  rows.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));

const totalOf = ({ total }: Values): Row[] => [{ total }];

/** The EIN of the best organization for a name. */
async function einOf(call: Call, name: string, role: string): Promise<unknown> {
  return (await call("find_organizations", { name, role, limit: 1 })).data[0]?.ein;
}

export const questions: readonly Question[] = [
  {
    ask: ({ word, year }) => `What are the largest grants for ${word} in ${year}?`,
    answer: async (call, { word, year }) => {
      const args = { purpose: word, transaction_year: year, sort: "amount", limit: 5 };
      return pick((await call("search_grants", args)).data, "id", "amount");
    },
    sql: `SELECT id, amount FROM grants WHERE contains(lower(purpose), $word) AND transaction_year = $year ${byAmount} LIMIT 5`,
  },
  {
    ask: ({ recipient_name, recipient_city }) => `Who funds ${recipient_name} in ${recipient_city}?`,
    answer: async (call, { recipient_name, recipient_city }) => {
      const recipient_ein = await einOf(call, `${recipient_name} ${recipient_city}`, "recipient");
      return pick(
        (await call("summarize_search", { recipient_ein, by: "funder" })).data,
        "funder_ein",
        "amount",
      );
    },
    sql: "SELECT funder_ein, sum(amount) AS amount FROM grants WHERE recipient_ein = $recipient GROUP BY ALL ORDER BY amount DESC, funder_ein LIMIT 20",
    isOfNames: true,
  },
  {
    ask: ({ funder_name, year }) => `Did ${funder_name} give more in ${year} than in ${year - 1}?`,
    answer: async (call, { funder_name, year }) => {
      const funder_ein = await einOf(call, String(funder_name), "funder");
      const { data } = await call("summarize_search", { funder_ein, by: "year" });
      const sumOf = (sought: number) =>
        Number(data.find(({ transaction_year }) => transaction_year === sought)?.amount ?? 0);
      return [{ more: sumOf(year) > sumOf(year - 1) }];
    },
    sql: "SELECT coalesce(sum(amount) FILTER (transaction_year = $year), 0) > coalesce(sum(amount) FILTER (transaction_year = $year - 1), 0) AS more FROM grants WHERE funder_ein = $funder",
    isOfNames: true,
  },
  {
    ask: ({ funder }) => `How much has ${funder} given in all?`,
    answer: async (call, { funder }) =>
      pick(
        [(await call("get_organization", { ein: funder, role: "funder" })).as_funder],
        "records",
        "amount",
      ),
    sql: `SELECT ${totals} FROM grants WHERE funder_ein = $funder`,
  },
  {
    ask: ({ funder }) => `What is the largest grant that ${funder} ever made?`,
    answer: async (call, { funder }) =>
      pick([(await call("get_organization", { ein: funder })).as_funder.largest_grant], "id"),
    sql: `SELECT id FROM grants WHERE funder_ein = $funder ${byAmount} LIMIT 1`,
  },
  {
    ask: ({ funder }) => `How has the giving of ${funder} developed?`,
    answer: async (call, { funder }) =>
      pick(
        (await call("get_organization", { ein: funder })).as_funder.years,
        "transaction_year",
        "records",
        "amount",
      ),
    sql: `SELECT transaction_year, ${totals} FROM grants WHERE funder_ein = $funder GROUP BY ALL ORDER BY transaction_year DESC`,
  },
  {
    ask: ({ year }) => `How many grants were made in ${year}, and what do they add up to?`,
    answer: async (call, { year }) =>
      pick(
        [(await call("summarize_search", { transaction_year: year })).data],
        "records",
        "amount",
        "funders",
      ),
    sql: `SELECT ${totals}, count(DISTINCT funder_ein) AS funders FROM grants WHERE transaction_year = $year`,
  },
  {
    ask: () => "Which ten funders gave the most?",
    answer: async (call) =>
      pick((await call("summarize_search", {})).data.top_funders as Row[], "funder_ein", "records", "amount"),
    sql: `SELECT funder_ein, ${totals} FROM grants GROUP BY ALL ORDER BY amount DESC, funder_ein LIMIT 10`,
  },
  {
    ask: ({ year }) => `Which funders made the most grants in ${year}?`,
    answer: async (call, { year }) => {
      const args = { by: "funder", sort: "records", transaction_year: year, limit: 3 };
      return pick((await call("summarize_search", args)).data, "funder_ein", "records");
    },
    sql: "SELECT funder_ein, count(*) AS records FROM grants WHERE transaction_year = $year GROUP BY ALL ORDER BY records DESC, sum(amount) DESC, funder_ein LIMIT 3",
  },
  {
    ask: ({ second }) => `Who received the most from ${second}?`,
    answer: async (call, { second }) => {
      const { data } = await call("summarize_search", { funder_ein: second, by: "recipient", limit: 3 });
      return pick(data, "records", "amount");
    },
    sql: `SELECT records, amount FROM (SELECT coalesce(recipient_ein, lower(recipient_name)) AS key, ${totals} FROM grants
      WHERE funder_ein = $second AND key IS NOT NULL GROUP BY key ORDER BY amount DESC, min(recipient_ein), key LIMIT 3)`,
  },
  {
    ask: ({ state }) => `How much do funders in ${state} give?`,
    answer: async (call, { state }) =>
      pick([(await call("summarize_search", { funder_state: state })).data], "records", "amount"),
    sql: `SELECT ${totals} FROM grants JOIN organizations ON ein = funder_ein WHERE state = $state`,
    isOfNames: true,
  },
  {
    ask: ({ year }) => `How many grants of 10,000 to 50,000 dollars were there since ${year}?`,
    answer: async (call, { year }) =>
      totalOf(
        await call("search_grants", { min_year: year, min_amount: 10000, max_amount: 50000, limit: 1 }),
      ),
    sql: "SELECT count(*) AS total FROM grants WHERE transaction_year >= $year AND amount BETWEEN 10000 AND 50000",
  },
  {
    ask: () => "In which year was the most given?",
    answer: async (call) =>
      pick((await call("summarize_search", { by: "year", limit: 1 })).data, "transaction_year", "amount"),
    sql: "SELECT transaction_year, sum(amount) AS amount FROM grants GROUP BY ALL ORDER BY amount DESC LIMIT 1",
  },
  {
    ask: ({ type }) => `How many grants are of type ${type}?`,
    answer: async (call, { type }) => {
      const { data } = await call("summarize_search", { by: "type", sort: "records", limit: 100 });
      return pick(
        data.filter((row) => row.type === type),
        "type",
        "records",
      );
    },
    sql: "SELECT type, count(*) AS records FROM grants WHERE type = $type GROUP BY ALL",
  },
  {
    ask: ({ second, recipient }) => `Which grants did ${recipient} get from ${second}?`,
    answer: async (call, { second: funder_ein, recipient: recipient_ein }) =>
      pick((await call("search_grants", { funder_ein, recipient_ein })).data, "id", "transaction_year"),
    sql: "SELECT id, transaction_year FROM grants WHERE funder_ein = $second AND recipient_ein = $recipient ORDER BY transaction_year DESC, amount DESC, id LIMIT 20",
  },
  {
    ask: ({ nameWord }) => `How many grants went to a “${nameWord}”?`,
    answer: async (call, { nameWord }) =>
      totalOf(await call("search_grants", { recipient_name: nameWord, limit: 1 })),
    sql: "SELECT count(*) AS total FROM grants WHERE contains(lower(recipient_name), $nameWord)",
  },
  {
    ask: ({ nameWord, otherWord }) => `And to one with the words “${otherWord}” and “${nameWord}”?`,
    answer: async (call, { nameWord, otherWord }) =>
      totalOf(await call("search_grants", { recipient_name: `${otherWord} ${nameWord}`, match: "words" })),
    sql: "SELECT count(*) AS total FROM grants WHERE contains(lower(recipient_name), $nameWord) AND contains(lower(recipient_name), $otherWord)",
  },
  {
    ask: () => "How many grants are corrections, of less than nothing?",
    answer: async (call) => totalOf(await call("search_grants", { max_amount: -0.01, limit: 1 })),
    sql: "SELECT count(*) AS total FROM grants WHERE amount < 0",
  },
  {
    ask: ({ funder }) => `What is the organization with EIN ${funder}?`,
    answer: async (call, { funder }) =>
      pick((await call("find_organizations", { name: funder })).data, "name", "city", "state"),
    sql: "SELECT name, city, state FROM organizations WHERE ein = $funder",
    isOfNames: true,
  },
  {
    ask: () => "What do the data cover?",
    answer: async (call) =>
      pick(
        [(await call("describe_data", {})).data],
        "records",
        "funders",
        "recipients",
        "first_year",
        "last_year",
      ),
    sql: `SELECT count(*) AS records, count(DISTINCT funder_ein) AS funders, count(DISTINCT recipient_ein) AS recipients,
      min(transaction_year) AS first_year, max(transaction_year) AS last_year FROM grants`,
  },
  {
    ask: ({ funder }) => `Which are the 21st to 40th newest grants of ${funder}?`,
    answer: async (call, { funder }) => {
      const { next } = await call("search_grants", { funder_ein: funder });
      return pick((await call("search_grants", next ?? {})).data, "id");
    },
    sql: "SELECT id FROM grants WHERE funder_ein = $funder ORDER BY transaction_year DESC, amount DESC, id LIMIT 20 OFFSET 20",
  },
  {
    ask: ({ funder, second, recipient }) => `Which of ${funder} and ${second} gave ${recipient} more?`,
    answer: async (call, { funder, second, recipient }) => {
      const args = { funder_ein: `${funder},${second}`, recipient_ein: recipient, by: "funder", limit: 1 };
      return pick((await call("summarize_search", args)).data, "funder_ein", "amount");
    },
    sql: "SELECT funder_ein, sum(amount) AS amount FROM grants WHERE funder_ein IN ($funder, $second) AND recipient_ein = $recipient GROUP BY ALL ORDER BY amount DESC, funder_ein LIMIT 1",
  },
];
