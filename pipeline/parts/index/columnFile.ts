// Writes `index.columns`: the columns one after another, each from a stream of values, and the header at the end of the work.
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  Column,
  type ColumnPlace,
  type ColumnsHeader,
  type ColumnWidth,
  columnAlignment,
  headerBytes,
} from "../../../api-static/release/columns.ts";
import { bytesAtOnce } from "../../../api-static/release/records.ts";
import { checkCeiling } from "../../base/ceilings.ts";
import { integersOf, streamChunks } from "../../base/database.ts";

/** Values of a column that are written at once. */
const bufferValues = 2 ** 16;

export class ColumnFile {
  readonly #path: string;
  readonly #file: number;
  readonly #columns: Record<string, ColumnPlace> = {};
  #end = headerBytes;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "w+");
  }

  /** Reads a column that has ended. */
  read(name: string): Column {
    const place = this.#columns[name];
    if (place === undefined) throw new RangeError(`no column ${name} was written`);
    return new Column(this.#file, place);
  }

  /** Reads all of a column of 32-bit integers that has ended. */
  readWhole(name: string): Int32Array {
    const column = this.read(name);
    return column.slice(0, column.length);
  }

  /** Adds a column of integers of known length. */
  add(name: string, length: number, width: ColumnWidth = 4): WrittenColumn {
    return new WrittenColumn(name, { offset: this.#place(name, length, width), length, width }, this.#file);
  }

  /** Adds a column of 32-bit integers that are all in memory. */
  addAll(name: string, values: Int32Array): void {
    const column = this.add(name, values.length);
    column.pushAll(values);
    column.end();
  }

  addBytes(name: string, bytes: Buffer): void {
    writeFully(this.#file, bytes, this.#place(name, bytes.length, 1));
  }

  /** Opens a temporary file on the same disk. It has no name, so it is gone when it is closed, and if the process is killed. */
  openSpill(): number {
    const path = `${this.#path}.spill`;
    const file = openSync(path, "w+");
    unlinkSync(path);
    return file;
  }

  /** Opens a file for columns that are needed for a while. Like that of `openSpill`, it has no name. */
  openTemporary(): ColumnFile {
    const path = `${this.#path}.temporary`;
    const file = new ColumnFile(path);
    unlinkSync(path);
    return file;
  }

  /** Writes the header and closes the file. */
  end(facts: Omit<ColumnsHeader, "columns">): void {
    const header = `${JSON.stringify({ ...facts, columns: this.#columns })}`;
    if (header.length >= headerBytes) throw new Error(`the header of the columns has ${header.length} bytes`);
    writeFully(this.#file, Buffer.from(header.padEnd(headerBytes)), 0);
    this.close();
  }

  close(): void {
    closeSync(this.#file);
  }

  #place(name: string, length: number, width: ColumnWidth): number {
    const offset = this.#end;
    this.#columns[name] = { offset, length, width };
    this.#end = Math.ceil((offset + length * width) / columnAlignment) * columnAlignment;
    return offset;
  }
}

/** A column that is being written. `end` must be called after the last value. */
export class WrittenColumn {
  readonly name: string;
  readonly #place: ColumnPlace;
  readonly #file: number;
  readonly #values: Int32Array<ArrayBuffer>;
  #written = 0;
  #filled = 0;

  constructor(name: string, place: ColumnPlace, file: number) {
    this.name = name;
    this.#place = place;
    this.#file = file;
    // A release has dozens of columns; those of a small one are short.
    this.#values = new Int32Array(Math.min(bufferValues, 2 * place.length + 1));
  }

  /** Adds a value: in a column of bytes, one from 0 to 255; in one of two bytes, up to 65,535. */
  push(value: number): void {
    this.#values[this.#filled++] = value;
    if (this.#filled === this.#values.length) this.#write();
  }

  /** Adds several values. One of 64 bits is two of 32. */
  pushAll(values: Int32Array): void {
    for (let done = 0; done < values.length; ) {
      const some = values.subarray(done, done + this.#values.length - this.#filled);
      this.#values.set(some, this.#filled);
      this.#filled += some.length;
      done += some.length;
      if (this.#filled === this.#values.length) this.#write();
    }
  }

  /** @throws if the number of values is not the announced one */
  end(): void {
    this.#write();
    const bytes = this.#place.length * this.#place.width;
    if (this.#written === bytes) return;
    throw new Error(`the column ${this.name} has ${this.#written} bytes, expected ${bytes}`);
  }

  #write(): void {
    const values = this.#values.subarray(0, this.#filled);
    const bytes = bytesOf(values, this.#place.width);
    writeFully(this.#file, bytes, this.#place.offset + this.#written);
    this.#written += bytes.length;
    this.#filled = 0;
  }
}

/** The bytes of values, each as wide as those of the column. */
function bytesOf(values: Int32Array<ArrayBuffer>, width: ColumnWidth): Buffer {
  if (width === 1) return Buffer.from(values);
  const integers = width === 2 ? Uint16Array.from(values) : values;
  return Buffer.from(integers.buffer, 0, integers.byteLength);
}

export function writeFully(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, Math.min(bytes.length - done, bytesAtOnce), position + done);
}

/** Streams a statement's columns of integers into columns of the file. */
export async function fillColumns(
  connection: DuckDBConnection,
  sql: string,
  columns: readonly WrittenColumn[],
): Promise<void> {
  for await (const chunk of streamChunks(connection, sql)) {
    for (const [index, column] of columns.entries()) column.pushAll(integersOf(chunk, index));
  }
  for (const column of columns) column.end();
}

/**
 * Fills a column with sums of a statement's only column: 0, then the sum up to each row.
 * @throws InputError if a sum does not fit
 */
export async function fillStarts(
  connection: DuckDBConnection,
  sql: string,
  column: WrittenColumn,
): Promise<void> {
  let sum = 0;
  column.push(0);
  for await (const chunk of streamChunks(connection, sql))
    for (const value of integersOf(chunk, 0)) {
      sum += value;
      column.push(sum);
    }
  checkCeiling("starts", sum, column.name); // sums ascend
  column.end();
}

/** 0, then the sum up to each value. */
export function startsOf(counts: ArrayLike<number>): Int32Array<ArrayBuffer> {
  const starts = new Int32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) starts[at + 1] = (starts[at] as number) + (counts[at] as number);
  return starts;
}
