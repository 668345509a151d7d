// Reads `index.columns`: the columns of integers that searches scan. docs/text-index.md describes the format.
import { closeSync, openSync } from "node:fs";
import { textLengthMax } from "../contract/limits.ts";
import { readFully, readInto, readLater } from "./records.ts";

/** Bytes of the header: JSON, then spaces. The first column starts after it. */
export const headerBytes = 16_384;

/** Every column starts at a multiple of this many bytes. */
export const columnAlignment = 4_096;

/** Bytes of a value. */
export type ColumnWidth = 1 | 2 | 4 | 8;

export type ColumnPlace = {
  /** In bytes. */
  readonly offset: number;
  /** In values. */
  readonly length: number;
  readonly width: ColumnWidth;
};

/** The records of a year, which are neighbors in the result order. */
export type YearRanks = { readonly year: number; readonly first: number; readonly records: number };

export type ColumnsHeader = {
  readonly records: number;
  readonly years: readonly YearRanks[];
  readonly columns: Readonly<Record<string, ColumnPlace>>;
};

/** Characters that most texts contain, so their words do not narrow a search. The column `letters` has a bit for each. */
export const lettersWithBits = "abcdefghijklmnopqrstuvwxyz0123";

/** Characters of an end of a word that the order of ends compares: those of the longest pattern, and a space on each side. */
export const endLength = textLengthMax + 2;

/** A bit for each of `lettersWithBits` that a word contains. */
export function lettersOf(word: string): number {
  let bits = 0;
  for (const letter of word) {
    const bit = lettersWithBits.indexOf(letter);
    if (bit >= 0) bits |= 1 << bit;
  }
  return bits;
}

/** The column of text ids for each text filter, in every order. A record without a text has the number of texts as its id. */
export const textColumns = { purpose: "purpose", recipientName: "recipient_name" } as const;

export type TextFilter = keyof typeof textColumns;

/** Values per read: few at first, then twice as many for each read that continues the previous one. */
const minBlock = 1_024;
export const maxBlock = 65_536;

/** Bytes per read of a column that is held in memory. */
const heldAtOnce = 4 * 1024 * 1024;

/** The open file of columns. Threads share the file and the columns that are held in memory. */
export class Columns {
  readonly header: ColumnsHeader;
  readonly file: number;
  readonly held: Map<string, SharedArrayBuffer>;

  constructor(file: number, header: ColumnsHeader, held = new Map<string, SharedArrayBuffer>()) {
    this.file = file;
    this.header = header;
    this.held = held;
  }

  static open(path: string): Columns {
    const file = openSync(path, "r");
    try {
      return new Columns(file, JSON.parse(readFully(file, 0, headerBytes).toString()) as ColumnsHeader);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  close(): void {
    closeSync(this.file);
  }

  placeOf(name: string): ColumnPlace {
    const place = this.header.columns[name];
    if (place === undefined) throw new RangeError(`the index has no column ${name}`);
    return place;
  }

  /** Reads columns into memory, if they fit into `bytes`; the others stay on disk. @returns the bytes of memory taken */
  async hold(names: readonly string[], bytes: number): Promise<number> {
    this.held.clear();
    let left = bytes;
    for (const name of names) {
      const { offset, length, width } = this.placeOf(name);
      const size = length * width;
      if (size > left || width === 2) continue; // values of two bytes become integers as they are read
      left -= size;
      const memory = new SharedArrayBuffer(Math.ceil(size / 4) * 4); // bytes are read as integers, too
      for (let done = 0; done < size; done += heldAtOnce) {
        const part = new Uint8Array(memory, done, Math.min(heldAtOnce, size - done));
        await readLater(this.file, part, offset + done);
      }
      this.held.set(name, memory);
    }
    return bytes - left;
  }

  /** True if there is such a column. */
  has(name: string): boolean {
    return this.header.columns[name] !== undefined;
  }

  /** A column of 32-bit integers, or of narrower ones as such. A 64-bit integer is two of them, which `bigAt` reads. */
  column(name: string): Column {
    const place = this.placeOf(name);
    return new Column(this.file, place, place.width < 4 ? undefined : this.held.get(name));
  }

  /** A column of bytes as integers of four each, the first in the lowest bits; the last one may have bytes after the column. */
  packed(name: string): Column {
    const { offset, length } = this.placeOf(name);
    return new Column(this.file, { offset, length: Math.ceil(length / 4), width: 4 }, this.held.get(name));
  }

  /** Reads a whole column of bytes. */
  bytes(name: string): Buffer {
    const { offset, length } = this.placeOf(name);
    return readFully(this.file, offset, length);
  }

  /** Reads a whole column of 32-bit integers. */
  integers(name: string): Int32Array {
    const { offset, length } = this.placeOf(name);
    const values = new Int32Array(length);
    readInto(this.file, new Uint8Array(values.buffer), offset);
    return values;
  }
}

/**
 * A column of 32-bit integers with one block in memory: value `index` is `block[index - from]`, if `from <= index < to`. Loops
 * use the block directly, because a call for each value would take most of their time.
 */
export class Column {
  readonly length: number;
  block: Int32Array;
  from = 0;
  to = 0;
  readonly #file: number;
  readonly #offset: number;
  /** Bytes of a value, which become integers as they are read: loops then know only one type of block. */
  readonly #bytes: 1 | 2 | 4;
  #ahead = minBlock;

  /** @param held the values */
  constructor(file: number, { offset, length, width }: ColumnPlace, held?: SharedArrayBuffer) {
    this.#file = file;
    this.#offset = offset;
    this.#bytes = width === 8 ? 4 : width;
    this.length = (length * width) / this.#bytes;
    this.block = held === undefined ? new Int32Array(0) : new Int32Array(held);
    if (held !== undefined) this.to = this.length;
  }

  /** Makes the block hold the values `index` to `stop` (exclusive); returns the block's end. A new block starts at `index`. */
  seek(index: number, stop = index + 1): number {
    if (index >= this.from && stop <= this.to) return this.to;
    if (index < 0 || stop > this.length) throw new RangeError(`the column has no values ${index} to ${stop}`);
    const isNeighbor = index >= this.from && index < this.to + this.#ahead && this.to > 0;
    this.#ahead = isNeighbor ? Math.min(this.#ahead * 2, maxBlock) : minBlock;
    const count = Math.min(Math.max(this.#ahead, stop - index), this.length - index);
    if (this.block.length < count) this.block = new Int32Array(count);
    this.#read(index, count);
    this.from = index;
    this.to = index + count;
    return this.to;
  }

  #read(index: number, count: number): void {
    const size = count * this.#bytes;
    const bytes = this.#bytes === 4 ? new Uint8Array(this.block.buffer, 0, size) : new Uint8Array(size);
    readInto(this.#file, bytes, this.#offset + index * this.#bytes);
    if (this.#bytes === 1) this.block.set(bytes);
    if (this.#bytes === 2) this.block.set(new Uint16Array(bytes.buffer));
  }

  /** The values `index` to `stop` (exclusive), valid until the next read. */
  slice(index: number, stop: number): Int32Array {
    this.seek(index, stop);
    return this.block.subarray(index - this.from, stop - this.from);
  }

  at(index: number): number {
    if (index < this.from || index >= this.to) this.seek(index);
    return this.block[index - this.from] as number;
  }

  /** A value of a column of 64-bit integers. */
  bigAt(index: number): bigint {
    return (BigInt(this.at(2 * index + 1)) << 32n) | BigInt(this.at(2 * index) >>> 0);
  }

  /** The row with a value, if all values ascend; undefined if there is none. */
  find(value: number): number | undefined {
    const row = this.findFirst(value, 0, this.length);
    return row < this.length && this.at(row) === value ? row : undefined;
  }

  /** The first row from `from` to `to`, where values ascend, with at least `value`; `to` if there is none. */
  findFirst(value: number, from: number, to: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      if (high - low <= minBlock) this.seek(low, high);
      const middle = (low + high) >>> 1;
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
