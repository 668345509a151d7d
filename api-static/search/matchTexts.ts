// Reads what is said of matches, by the ids that searches find with the grants, and formats it for pages and CSV files.
import { lineEnd } from "../contract/envelope.ts";
import type { Match } from "../contract/matches.ts";
import { parts } from "../release/layout.ts";
import { Records } from "../release/records.ts";

/** The texts of an open release. */
export class MatchTexts {
  readonly #lines: Records;

  /** @param folder of the release */
  constructor(folder: string) {
    this.#lines = Records.open(folder, [parts.matches, parts.matchOffsets]);
  }

  close(): void {
    this.#lines.close();
  }

  /**
   * The JSON of the matches of a page, in the order of its grants.
   * @param lines those of the grants
   * @param ids of the grants' texts; -1 for grants without a match
   */
  async format(lines: Buffer, ids: readonly number[]): Promise<string[]> {
    const texts = await this.#read(ids);
    const grants = lines.toString().split(lineEnd);
    return ids.flatMap((id, index) => {
      const text = texts.get(id);
      if (text === undefined) return [];
      const [start] = /^\{"id":-?\d+,/.exec(grants[index] ?? "") ?? [];
      if (start === undefined) throw new SyntaxError("a record of the release has no id");
      return [start + text.slice(1)];
    });
  }

  /** The matches of grants; undefined for grants without one. @param ids as above */
  async find(ids: readonly number[]): Promise<(Omit<Match, "id"> | undefined)[]> {
    const texts = await this.#read(ids);
    return ids.map((id) => {
      const text = texts.get(id);
      return text === undefined ? undefined : (JSON.parse(text) as Omit<Match, "id">);
    });
  }

  /** The texts by id. Those of a recipient are neighbors, so they are read in few runs. */
  async #read(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const different = [...new Set(ids)].filter((id) => id >= 0).sort((one, other) => one - other);
    const lines = (await this.#lines.readLinesInTurns(different)).toString().split(lineEnd);
    return new Map(different.map((id, index) => [id, lines[index] as string]));
  }
}
