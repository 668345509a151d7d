// Writes `index.columns`: the columns one after another, each from a stream of values, and the header at the end of the work.
import { closeSync, openSync, writeSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import {
  type ColumnPlace,
  type ColumnsHeader,
  type ColumnWidth,
  columnAlignment,
  headerBytes,
} from "../../api-static/release/columns.ts";
import { streamChunks } from "../database.ts";

/** Values of a column that are written at once. */
const bufferValues = 2 ** 16;

export class ColumnFile {
  readonly #file: number;
  readonly #columns: Record<string, ColumnPlace> = {};
  #end = headerBytes;

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  /** Adds a column of integers of known length. */
  add(name: string, length: number, width: 4 | 8 = 4): WrittenColumn {
    return new WrittenColumn(name, length, width, this.#file, this.#place(name, length, width));
  }

  addBytes(name: string, bytes: Buffer): void {
    writeFully(this.#file, bytes, this.#place(name, bytes.length, 1));
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
  readonly #name: string;
  readonly #length: number;
  readonly #file: number;
  readonly #values: Int32Array | BigInt64Array;
  #offset: number;
  #written = 0;
  #filled = 0;

  constructor(name: string, length: number, width: 4 | 8, file: number, offset: number) {
    this.#name = name;
    this.#length = length;
    this.#values = width === 4 ? new Int32Array(bufferValues) : new BigInt64Array(bufferValues);
    this.#file = file;
    this.#offset = offset;
  }

  /** @param value a bigint for a column of 64-bit integers, else a number */
  push(value: number | bigint): void {
    this.#values[this.#filled++] = value as never;
    if (this.#filled === bufferValues) this.#write();
  }

  /** @throws if the number of values is not the announced one */
  end(): void {
    this.#write();
    if (this.#written === this.#length) return;
    throw new Error(`the column ${this.#name} has ${this.#written} values, expected ${this.#length}`);
  }

  #write(): void {
    const bytes = Buffer.from(this.#values.buffer, 0, this.#filled * this.#values.BYTES_PER_ELEMENT);
    writeFully(this.#file, bytes, this.#offset);
    this.#offset += bytes.length;
    this.#written += this.#filled;
    this.#filled = 0;
  }
}

function writeFully(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

/** Streams a statement's columns of integers into columns of the file. */
export async function fillColumns(
  connection: DuckDBConnection,
  sql: string,
  columns: readonly WrittenColumn[],
): Promise<void> {
  for await (const chunk of streamChunks(connection, sql)) {
    for (const [index, column] of columns.entries())
      chunk.visitColumnValues(index, (value) => column.push(value as never));
  }
  for (const column of columns) column.end();
}

/** Fills a column with sums of a statement's only column: 0, then the sum up to each row. */
export async function fillStarts(
  connection: DuckDBConnection,
  sql: string,
  column: WrittenColumn,
): Promise<void> {
  let sum = 0;
  column.push(0);
  for await (const chunk of streamChunks(connection, sql))
    chunk.visitColumnValues(0, (value) => {
      sum += Number(value);
      column.push(sum);
    });
  column.end();
}
