// Defines a filter: all that is known about a parameter by which grants are filtered.

import type { GrantRecord } from "../answers/record.ts";
import type { ProblemCode } from "../errors.ts";
import type { Filters } from "../filters.ts";
import type { KnownNames, Query } from "../text/searchText.ts";
import type { Parameter } from "../values.ts";
import type { AttributeName } from "./attributes.ts";

/** What engines and tables write differently. A value is bound, or written so that it can be nothing else. */
export type FilterDialect = {
  /** The condition that the canonical text contains each of the patterns. */
  readonly contains: (column: "purpose" | "recipient_name", patterns: readonly string[]) => string;
  /** The condition that the attribute is the value. */
  readonly equals: (column: AttributeName, value: string) => string;
  /** The condition that the attribute starts with the value. */
  readonly startsWith: (column: AttributeName, value: string) => string;
};

/** A rule that a value breaks beside other filters, e.g., "not be less than min_year". */
export type Conflict = { readonly code: ProblemCode; readonly rule: string };

/** The functions other than `read`, `format` and `say` get filters that have a value for this one. */
export type Filter<Name extends string = string> = Parameter & {
  readonly name: Name;
  /** Its value in canonical URLs; undefined without it. */
  readonly format: (filters: Filters) => string | undefined;
  readonly findConflicts?: (filters: Filters) => readonly Conflict[];
  /** True if a record meets it. Absent if only the index tells. @param line the record's JSON */
  readonly meets?: (filters: Filters, record: GrantRecord, line: string) => boolean;
  /** Its condition in SQL, where numbers are written as digits. Absent if other filters have it. */
  readonly sql?: (filters: Filters, dialect: FilterDialect) => string;
  readonly sentence?: Sentence;
};

/** The clauses of a sentence about grants: "of $10,000 for “music” from EIN 20-0253310 to recipients in California in 2018". */
export const clauses = ["of", "for", "from", "to", "in", "with"] as const;

/** Where a sentence has a filter, and its words: with a space before them; "" without it. */
export type Sentence = {
  readonly clause: (typeof clauses)[number];
  readonly say: (query: Query, names: KnownNames) => string;
};
