// Defines a part of the benchmark: one section of docs/benchmarks.md and how it is measured.
import type { Corpus } from "./corpus.ts";
import type { BenchSettings } from "./settings.ts";

export type BenchContext = {
  readonly settings: BenchSettings;
  /** Folder of this run; removed when it ends. */
  readonly folder: string;
  /** A warehouse of `settings.rows` rows and its release; made on first use. */
  readonly corpus: () => Promise<Corpus>;
  /** Prints a line of progress. */
  readonly print: (line: string) => void;
};

export type BenchPart = {
  /** Heading of the section. */
  readonly title: string;
  /** Heading of the separate section for a run without peers. */
  readonly titleAlone?: string;
  /**
   * Measures, and returns the section's text without its heading and origin; undefined if a program that it needs is not
   * installed. The section then stays as it is.
   */
  readonly run: (context: BenchContext) => Promise<string | undefined>;
};
