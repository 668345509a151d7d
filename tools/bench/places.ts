// Measures what a filter by state costs: each search with and without it, in turn, over HTTP.
import { writeFile } from "node:fs/promises";
import type { Ein } from "../../api-static/contract/ein.ts";
import type { Filters } from "../../api-static/contract/filters.ts";
import { href } from "../../api-static/contract/operations/searches.ts";
import { canonicalText } from "../../api-static/contract/text/text.ts";
import { pick, type Random, seedRandom } from "../../pipeline/verify/random.ts";
import { Client } from "./client.ts";
import type { BenchPart } from "./part.ts";
import { BenchServer } from "./server.ts";
import { median } from "./statistics.ts";
import { formatCsv } from "./table.ts";

/** Grants whose values are sought, and rounds of which the median counts. */
const grantsDrawn = 40;
const rounds = 5;
const seed = 32;

type Drawn = {
  readonly funder_ein: Ein;
  readonly transaction_year: number;
  readonly purpose: string | null;
  readonly recipient_name: string | null;
};

/** A kind of search, made of the values of a grant; undefined if the grant lacks them. */
const kinds: Readonly<Record<string, (grant: Drawn, random: Random) => Filters | undefined>> = {
  "no other filter": () => ({}),
  "a year": ({ transaction_year }) => ({ transactionYear: transaction_year }),
  "a funder": ({ funder_ein }) => ({ funderEin: funder_ein }),
  "a word": ({ purpose }, random) => withWord("purpose", purpose, random),
  "a word and a year": ({ purpose, transaction_year }, random) =>
    withWord("purpose", purpose, random, { transactionYear: transaction_year }),
  "a word and a funder": ({ purpose, funder_ein }, random) =>
    withWord("purpose", purpose, random, { funderEin: funder_ein }),
  "a word of a recipient's name": ({ recipient_name }, random) =>
    withWord("recipientName", recipient_name, random),
};

export const placesPart: BenchPart = {
  title: "Filters by state",
  async run({ corpus: findCorpus, print }) {
    const corpus = await findCorpus();
    const server = await BenchServer.start(corpus.data);
    const client = new Client(server.origin);
    try {
      const random = seedRandom(seed);
      const grants = await drawGrants(client, corpus.records, random);
      const states = {
        recipientState: await readStates(client, "recipient_state"),
        funderState: await readStates(client, "funder_state"),
      };
      const lines: string[][] = [];
      for (const [kind, filtersOf] of Object.entries(kinds)) {
        print(`places: ${kind}`);
        const searches = grants.flatMap((grant) => filtersOf(grant, random) ?? []);
        const pairs = searches.map((filters) => [
          filters,
          { ...filters, recipientState: pick(random, states.recipientState) },
          { ...filters, funderState: pick(random, states.funderState) },
        ]);
        const times: (readonly number[])[] = [];
        for (const pair of pairs) times.push(await timeInTurn(client, pair));
        lines.push(formatLine(kind, times));
      }
      await writeFile(
        "docs/benchmarks/places.csv",
        formatCsv(["search", "n", "without", "recipient's state", "ratio", "funder's state", "ratio"], lines),
      );
      return `${corpus.records.toLocaleString("en-US")} grants; values of ${grantsDrawn} grants drawn by lot, with a state drawn as often as its
grants are. With it, searches take ${rangeOf(lines, 4)} times as long for the recipient's state, ${rangeOf(lines, 6)} for the funder's:
[by kind of search](benchmarks/places.csv), in milliseconds for a page of 100.`;
    } finally {
      client.close();
      await server.stop();
    }
  },
};

/** The smallest and the largest value of a column. */
function rangeOf(lines: readonly (readonly string[])[], column: number): string {
  const values = lines.map((line) => Number(line[column]));
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
}

function withWord(
  name: "purpose" | "recipientName",
  text: string | null,
  random: Random,
  others: Filters = {},
): Filters | undefined {
  const words = canonicalText(text ?? "")
    .split(" ")
    .filter((word) => word.length > 1);
  return words.length === 0 ? undefined : { ...others, [name]: pick(random, words) };
}

async function drawGrants(client: Client, records: number, random: Random): Promise<Drawn[]> {
  const grants: Drawn[] = [];
  for (let count = 0; count < grantsDrawn; count++)
    grants.push(
      ...(await client.readData<Drawn>(`/v1/history?limit=1&offset=${Math.floor(random() * records)}`)),
    );
  return grants;
}

/** The states of grants, each as often as it has thousandths of them. */
async function readStates(client: Client, by: "recipient_state" | "funder_state"): Promise<string[]> {
  const groups = await client.readData<{ state: string | null; records: number }>(
    `/v1/history/groups?by=${by}&limit=100`,
  );
  const all = groups.reduce((sum, { records }) => sum + records, 0);
  const states = groups.flatMap(({ state, records }) =>
    state === null ? [] : Array.from({ length: Math.ceil((1000 * records) / all) }, () => state),
  );
  if (states.length === 0) throw new Error(`no grant has a ${by}`);
  return states;
}

/** The medians of searches that take turns, after one round that does not count. */
async function timeInTurn(client: Client, searches: readonly Filters[]): Promise<number[]> {
  const times: number[][] = searches.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, filters] of searches.entries()) {
      const path = href({ kind: "history", scope: "search", filters, limit: 100, offset: 0 });
      const { milliseconds } = await client.read(path);
      if (round > 0) times[index]?.push(milliseconds);
    }
  return times.map((all) => median(all));
}

function formatLine(kind: string, times: readonly (readonly number[])[]): string[] {
  const means = [0, 1, 2].map((at) => times.reduce((sum, one) => sum + (one[at] ?? 0), 0) / times.length);
  const [without = 0, recipient = 0, funder = 0] = means;
  const ratio = (time: number) => (time / without).toFixed(2);
  return [
    kind,
    String(times.length),
    without.toFixed(2),
    recipient.toFixed(2),
    ratio(recipient),
    funder.toFixed(2),
    ratio(funder),
  ];
}
