// Finds the name of each recipient of a search: the one that most of its matches give, as the first of them in result order has it.
import { lineEnd } from "../contract/answers/envelope.ts";
import type { GrantRecord } from "../contract/answers/record.ts";
import { type Column, type Columns, maxBlock } from "../release/columns.ts";
import type { Records } from "../release/records.ts";
import { type Bits, hasBit } from "./bits.ts";
import type { Checkpoint } from "./texts.ts";

/** Lines that are read at once. */
const linesAtOnce = 1_000;

/** The rank of a record that has the recipient's name as most of its matches do. */
type Named = { readonly recipient: number; readonly rank: number };

export class RecipientNames {
  /** The records of each recipient with an EIN, and of each name, in order of rank. */
  readonly #starts: Column;
  readonly #ranks: Column;
  readonly #names: Column;
  readonly #startsOfNames: Column;
  readonly #ranksOfNames: Column;
  readonly #recipients: Column;
  readonly #positions: Column;
  /** The number of recipients with an EIN. A recipient without one has this number plus the id of its name. */
  readonly #eins: number;
  /** The number of names, which stands for "no name". */
  readonly #none: number;
  readonly #records: Records;
  readonly #checkpoint: Checkpoint;

  constructor(columns: Columns, records: Records, checkpoint: Checkpoint) {
    this.#starts = columns.column("recipient.start");
    this.#ranks = columns.column("recipient.rank");
    this.#names = columns.column("recipient.recipient_name");
    this.#startsOfNames = columns.column("recipient_name.start");
    this.#ranksOfNames = columns.column("recipient_name.rank");
    this.#recipients = columns.column("rank.recipient");
    this.#positions = columns.column("rank.position");
    this.#eins = this.#starts.length - 1;
    this.#none = this.#startsOfNames.length - 1;
    this.#records = records;
    this.#checkpoint = checkpoint;
  }

  /**
   * The names of recipients by id, as filed. Those whose matches have no name are absent.
   * @param matches of the search, by rank
   */
  find(matches: Bits, ids: readonly number[]): ReadonlyMap<number, string> {
    const named: Named[] = [];
    for (const recipient of Int32Array.from(ids).sort()) {
      this.#checkpoint();
      const rank =
        recipient < this.#eins ? this.#rankOf(recipient, matches) : this.#rankOfName(recipient, matches);
      if (rank !== undefined) named.push({ recipient, rank });
    }
    return this.#read(named);
  }

  /** The first match with the name that most matches of a recipient with an EIN have. */
  #rankOf(recipient: number, matches: Bits): number | undefined {
    const counts = new Map<number, { readonly rank: number; count: number }>(); // in order of rank
    const end = this.#starts.at(recipient + 1);
    for (let from = this.#starts.at(recipient); from < end; from += maxBlock) {
      const to = Math.min(from + maxBlock, end);
      const ranks = this.#ranks.slice(from, to);
      const names = this.#names.slice(from, to);
      for (let row = 0; row < ranks.length; row++) {
        const rank = ranks[row] as number;
        const name = names[row] as number;
        if (name === this.#none || !hasBit(matches, rank)) continue;
        const known = counts.get(name);
        if (known === undefined) counts.set(name, { rank, count: 1 });
        else known.count += 1;
      }
    }
    let most: { readonly rank: number; readonly count: number } | undefined;
    for (const name of counts.values()) if (name.count > (most?.count ?? 0)) most = name;
    return most?.rank;
  }

  /** The first match of a recipient without an EIN: all have its name. Other records of the name may have an EIN. */
  #rankOfName(recipient: number, matches: Bits): number | undefined {
    const name = recipient - this.#eins;
    const end = this.#startsOfNames.at(name + 1);
    for (let row = this.#startsOfNames.at(name); row < end; row++) {
      const rank = this.#ranksOfNames.at(row);
      if (hasBit(matches, rank) && this.#recipients.at(rank) === recipient) return rank;
    }
    return undefined;
  }

  /** Reads the names from the records, in the order of the file. */
  #read(names: readonly Named[]): ReadonlyMap<number, string> {
    const found = new Map<number, string>();
    const placed = names.map(({ recipient, rank }) => ({ recipient, position: this.#positions.at(rank) }));
    placed.sort((a, b) => a.position - b.position);
    for (let from = 0; from < placed.length; from += linesAtOnce) {
      const some = placed.slice(from, from + linesAtOnce);
      const lines = this.#records
        .readLines(
          some.map(({ position }) => position),
          this.#checkpoint,
        )
        .toString()
        .split(lineEnd);
      for (const [index, { recipient }] of some.entries())
        found.set(recipient, String((JSON.parse(String(lines[index])) as GrantRecord).recipient_name));
    }
    return found;
  }
}
