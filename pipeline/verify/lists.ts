// Numbers rows by the lists that they lie in, and checks the order within each list.
import type { Column } from "../../api-static/release/columns.ts";

/** The lists of consecutive rows. */
export class Lists {
  areInOrder = true;
  readonly #starts: Pick<Column, "at"> | Int32Array;
  #list = -1;
  #stop = 0;
  #least = 0;

  constructor(starts: Pick<Column, "at"> | Int32Array) {
    this.#starts = starts;
  }

  /** The list of each of the next rows. @param from the first row @param ranks of the rows, which must ascend in each list */
  read(from: number, ranks: Int32Array): Int32Array {
    const lists = new Int32Array(ranks.length);
    let [list, stop, least, isRight] = [this.#list, this.#stop, this.#least, this.areInOrder];
    for (let row = 0; row < ranks.length; row++) {
      for (; from + row >= stop; least = 0) {
        list += 1;
        stop = this.#starts.at(list + 1) as number;
      }
      const rank = ranks[row] as number;
      isRight &&= rank >= least;
      least = rank + 1;
      lists[row] = list;
    }
    this.#list = list;
    this.#stop = stop;
    this.#least = least;
    this.areInOrder = isRight;
    return lists;
  }
}
