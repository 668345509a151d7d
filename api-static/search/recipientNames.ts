// Finds the name of each recipient of a search: the one that most of its matches give, as the first of them in result order has it.
import { lineEnd } from "../contract/envelope.ts";
import type { GrantRecord } from "../contract/record.ts";
import { type Column, type Columns, maxBlock } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { gather, type MatchSearch } from "./collect.ts";
import type { ColumnFilters } from "./columnSearch.ts";
import type { Checkpoint } from "./texts.ts";

/** Lines that are read at once. */
const linesAtOnce = 1_000;

/** A name of a recipient: how many matches have it, and the rank of the first. */
type Name = { readonly recipient: number; readonly rank: number; count: number };

/** The recipients and names of the matches in a list of ranks. */
type Some = { readonly ranks: Int32Array; readonly recipients: Int32Array; readonly names: Int32Array };

export class RecipientNames {
  readonly #recipients: Column;
  readonly #names: Column;
  readonly #positions: Column;
  /** The number of names, which stands for "no name". */
  readonly #none: number;
  readonly #records: Records;
  readonly #some = { recipients: new Int32Array(maxBlock), names: new Int32Array(maxBlock) };

  constructor(columns: Columns, records: Records) {
    this.#recipients = columns.column("rank.recipient");
    this.#names = columns.column("rank.recipient_name");
    this.#positions = columns.column("rank.position");
    this.#none = columns.placeOf("recipient_name.order").length;
    this.#records = records;
  }

  /** The names of recipients by id, as filed. Those whose matches have no name are absent. */
  find(
    search: MatchSearch,
    request: ColumnFilters,
    ids: readonly number[],
    checkpoint: Checkpoint,
  ): ReadonlyMap<number, string> {
    const names = new Map<number, Name>(); // in result order of the first matches
    search.visitMatches({ ...request, recipientIds: ids }, (ranks) => {
      const { recipients, names: filed } = this.#some;
      gather(this.#recipients, ranks, recipients, 1, 0);
      gather(this.#names, ranks, filed, 1, 0);
      this.#count({ ranks, recipients, names: filed }, names);
    });
    const chosen = new Map<number, Name>();
    for (const name of names.values())
      if (name.count > (chosen.get(name.recipient)?.count ?? 0)) chosen.set(name.recipient, name);
    return this.#read([...chosen.values()], checkpoint);
  }

  #count({ ranks, recipients, names }: Some, into: Map<number, Name>): void {
    for (let index = 0; index < ranks.length; index++) {
      const [recipient, name] = [recipients[index] as number, names[index] as number];
      if (name === this.#none) continue;
      const key = recipient * this.#none + name;
      const known = into.get(key);
      if (known === undefined) into.set(key, { recipient, rank: ranks[index] as number, count: 1 });
      else known.count += 1;
    }
  }

  /** Reads the names from the records, in the order of the file. */
  #read(names: readonly Name[], checkpoint: Checkpoint): ReadonlyMap<number, string> {
    const found = new Map<number, string>();
    const placed = names.map(({ recipient, rank }) => ({ recipient, position: this.#positions.at(rank) }));
    placed.sort((a, b) => a.position - b.position);
    for (let from = 0; from < placed.length; from += linesAtOnce) {
      const some = placed.slice(from, from + linesAtOnce);
      const lines = this.#records
        .readLines(
          some.map(({ position }) => position),
          checkpoint,
        )
        .toString()
        .split(lineEnd);
      for (const [index, { recipient }] of some.entries())
        found.set(recipient, String((JSON.parse(String(lines[index])) as GrantRecord).recipient_name));
    }
    return found;
  }
}
