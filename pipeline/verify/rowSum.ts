// Sums hashes of rows, so that two files with the same rows in different orders can be compared without sorting.

/** Above the largest hash, and small enough that sums of two are exact. */
const modulus = 2 ** 52;

/** What rows add up to. */
export type RowTotal = { readonly sum: number; readonly rows: number };

export class RowSum {
  #sum = 0;
  #rows = 0;

  /** Adds a row of two or three 32-bit integers. */
  add(first: number, second: number, third = 0): void {
    let hash = Math.imul(first ^ 0x9e3779b9, 0x85ebca6b);
    hash = Math.imul(((hash ^ (hash >>> 15)) + second) | 0, 0xc2b2ae35);
    hash = Math.imul(((hash ^ (hash >>> 13)) + third) | 0, 0x27d4eb2f);
    this.#sum += (hash ^ (hash >>> 16)) >>> 0;
    if (this.#sum >= modulus) this.#sum -= modulus;
    this.#rows += 1;
  }

  get total(): RowTotal {
    return { sum: this.#sum, rows: this.#rows };
  }

  equals({ sum, rows }: RowTotal): boolean {
    return this.#sum === sum && this.#rows === rows;
  }
}
