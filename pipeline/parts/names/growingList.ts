// Collects integers without knowing how many will come.

/** Integers that were pushed so far. Their memory doubles when it is full. */
export class GrowingList {
  #values = new Int32Array(2 ** 16);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  values(): Int32Array {
    return this.#values.subarray(0, this.length);
  }
}
