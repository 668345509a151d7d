// Owns what a part of the benchmark is: a section of docs/benchmarks.md and how its text comes about.
import type { Corpus } from "./corpus.ts";
import type { BenchSettings } from "./settings.ts";

export type BenchContext = {
  readonly settings: BenchSettings;
  /** Folder of this run, removed at its end. */
  readonly folder: string;
  /** A warehouse of `settings.rows` rows and its release; made when first asked for. */
  readonly corpus: () => Promise<Corpus>;
  /** Tells the person who waits what is being done. */
  readonly tell: (line: string) => void;
};

export type BenchPart = {
  /** Heading of its section. */
  readonly title: string;
  /** Heading of a section of its own for a run without peers, beside that with them. */
  readonly titleAlone?: string;
  /** Measures, and returns the section's text below the line of machine and versions. */
  readonly run: (context: BenchContext) => Promise<string>;
};
