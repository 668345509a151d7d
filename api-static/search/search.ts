// Opens the index of a release for searches, and gives each request a turn.
import type { Filters } from "../contract/filters.ts";
import { dictionaries } from "../release/layout.ts";
import type { Ranks, TextFilter } from "./plan.ts";
import type { SearchQueue } from "./queue.ts";
import { type Session, Sessions } from "./sessions.ts";
import { type FoundPage, type IndexFacts, SearchTurn } from "./turn.ts";
import { Words } from "./words.ts";

/** The index of an open release. */
export class Search {
  readonly sessions: Sessions;
  readonly #facts: IndexFacts;

  private constructor(sessions: Sessions, facts: IndexFacts) {
    this.sessions = sessions;
    this.#facts = facts;
  }

  /**
   * @param path of `index.duckdb`
   * @param queue in which searches wait for their turn
   */
  static async open(path: string, queue?: SearchQueue): Promise<Search> {
    const sessions = await Sessions.open(path, queue);
    try {
      return new Search(sessions, await sessions.useAtOnce(readFacts));
    } catch (error) {
      await sessions.close();
      throw error;
    }
  }

  /**
   * Runs all searches of one request in one turn, so they share one time limit.
   * @param client aborted when nobody waits for the result any more
   * @throws Refusal or ClientGone, as the queue does
   */
  takeTurn<Result>(work: (turn: SearchTurn) => Promise<Result>, client?: AbortSignal): Promise<Result> {
    return this.sessions.use((session) => work(new SearchTurn(session, this.#facts)), client);
  }

  /** The total of all records that meet the filters, and the positions of one page of them, in a separate turn. */
  find(filters: Filters, limit: number, offset: number): Promise<FoundPage> {
    return this.takeTurn((turn) => turn.find(filters, limit, offset));
  }

  /** Closes the index; resolves when it is closed, after the last query has ended. */
  close(): Promise<void> {
    return this.sessions.close();
  }
}

async function readFacts(session: Session): Promise<IndexFacts> {
  const readTexts = async (filter: TextFilter) => ({
    words: await Words.read(session, dictionaries[filter]),
    texts: await countRows(session, dictionaries[filter].texts),
  });
  const texts = { purpose: await readTexts("purpose"), recipientName: await readTexts("recipientName") };
  return { records: await countRows(session, "by_rank"), years: await readYears(session), texts };
}

/** The ranks of each year. */
async function readYears(session: Session): Promise<Map<number, Ranks>> {
  const [years = [], firsts = [], records = []] = await session.readColumns(
    "SELECT transaction_year, min(rank)::DOUBLE, count(*)::DOUBLE FROM by_rank GROUP BY transaction_year",
    {},
  );
  return new Map(
    years.map((year, index) => [
      Number(year),
      { first: Number(firsts[index]), records: Number(records[index]) },
    ]),
  );
}

async function countRows(session: Session, table: string): Promise<number> {
  return Number((await session.readColumn(`SELECT count(*)::DOUBLE FROM ${table}`, {}))[0]);
}
