// Defines the parameters of requests: name, description, schema, and how each value is read.
import { einSchema, parseEin } from "./ein.ts";
import { type Fault, malformed, shown } from "./errors.ts";
import { filterNames, filterTable } from "./filters/table.ts";
import { groupKeys } from "./filters.ts";
import * as limits from "./limits.ts";
import type { NotUtf8 } from "./query.ts";
import {
  type Bounds,
  type Draft,
  type Parameter,
  readAs,
  readInteger,
  readOneOf,
  splitEins,
} from "./values.ts";

const limitBounds: Bounds = { minimum: 1, maximum: limits.pageSizeMax };
const offsetBounds: Bounds = { minimum: 0, maximum: limits.offsetMax };

export const idRule = "must be an integer of 64 bits without leading zeros";

const parseFlag = (value: string) => value === "1" || undefined;

/** Every parameter, in the order of canonical URLs. */
export const parameters: Readonly<Record<string, Parameter>> = {
  ...Object.fromEntries(filterTable.map((filter) => [filter.name, filter])),
  sort: {
    description: `\`year\`, then amount, both descending; or \`amount\`, then year, with an \`offset\` of at most ${limits.offsetByAmountMax.toLocaleString("en-US")}.`,
    schema: { type: "string", enum: ["year", "amount"], default: "year" },
    read: readOneOf("sort", ["year", "amount"]),
  },
  by: {
    description: "The field by which the grants are grouped.",
    schema: { type: "string", enum: groupKeys, examples: ["funder"] },
    read: readOneOf("by", groupKeys),
  },
  level: {
    description: "`code` groups causes by whole codes; without it, they are grouped by major groups.",
    schema: { type: "string", const: "code" },
    read: readOneOf("level", ["code"]),
  },
  limit: {
    description: "Maximum number of grants on the page.",
    schema: { type: "integer", ...limitBounds, default: limits.pageSizeDefault },
    read: readInteger("limit", limitBounds),
  },
  offset: {
    description: "Number of grants to skip; a page past the end is empty.",
    schema: { type: "integer", ...offsetBounds, default: 0 },
    read: readInteger("offset", offsetBounds),
  },
  ein: {
    description: "EIN of the organization: nine digits, or 13-1635294.",
    schema: { ...einSchema, examples: ["131635294"] },
    read: readAs("ein", "ein must be nine digits", parseEin),
  },
  funders: {
    description: `EINs of one to ${limits.comparedMax} different funders, separated by commas.`,
    schema: {
      type: "string",
      pattern: `^\\d{9}(,\\d{9}){0,${limits.comparedMax - 1}}$`,
      examples: ["131635294,200253310"],
    },
    read: (value, draft) => {
      const eins = splitEins(value);
      const known = new Set(eins.filter((ein) => ein !== undefined));
      const rule = `funders must be one to ${limits.comparedMax} different EINs, separated by commas`;
      if (known.size !== eins.length) return malformed(rule, value);
      if (known.size > limits.comparedMax)
        return { code: "out_of_range", message: `${rule}, got ${known.size}` };
      draft.funders = [...known];
      return undefined;
    },
  },
  id: {
    description: "The grant's `id`.",
    schema: { type: "integer", examples: [39583744] },
    read: (value, draft) => {
      const fault = malformed(`id ${idRule}`, value);
      if (!/^(?:0|-?[1-9]\d*)$/.test(value)) return fault;
      if (value.length > 20 || BigInt.asIntN(64, BigInt(value)) !== BigInt(value))
        return { ...fault, code: "out_of_range" };
      draft.id = value;
      return undefined;
    },
  },
  formulas: {
    description:
      "`escape` puts an apostrophe before text that a spreadsheet would run as a formula. Without it, text is as filed.",
    schema: { type: "string", const: "escape" },
    read: readAs(
      "isEscapingFormulas",
      'formulas must be "escape"',
      (value) => value === "escape" || undefined,
    ),
  },
  names: {
    description:
      "`1` adds the columns `funder_name` and `recipient_organization_name`, from the list of organizations.",
    schema: { type: "integer", const: 1 },
    read: readAs("hasNames", "names must be 1", parseFlag),
  },
  excel: {
    description:
      "`1` makes a file for spreadsheets: with a byte order mark, `formulas=escape`, and hyphens in EINs, which keep their zeros so. Text of more than 32,767 characters is cut and ends with `[cut]`. Excel rounds an `id` of more than 15 digits.",
    schema: { type: "integer", const: 1 },
    read: readAs("isForExcel", "excel must be 1", parseFlag),
  },
};

/** The parameters of searches without pages, and with them. */
export const filterParameters: readonly string[] = [...filterNames, "match"];
export const parameterNames: readonly string[] = [...filterParameters, "sort", "limit", "offset"];

/** The parameters of a CSV file's form. */
export const csvParameters = ["formulas", "names", "excel"] as const;

/** The parameters of groups that differ from those of the same name. */
export const groupParameters: Readonly<Record<string, Parameter>> = {
  sort: {
    description: "Order of the groups: by their `amount`, or by the number of their `records`, descending.",
    schema: { type: "string", enum: ["amount", "records"], default: "amount" },
    read: readOneOf("sort", ["amount", "records"]),
  },
  limit: {
    description: "Maximum number of groups on the page.",
    schema: { type: "integer", ...limitBounds, default: limits.pageSizeDefault },
    read: readInteger("limit", limitBounds),
  },
  offset: {
    description: `Number of groups to skip; \`offset\` and \`limit\` together are at most ${limits.groupsMax.toLocaleString("en-US")}.`,
    schema: { type: "integer", minimum: 0, maximum: limits.groupsMax - 1, default: 0 },
    read: readInteger("offset", { minimum: 0, maximum: limits.groupsMax - 1 }),
  },
};

/**
 * Reads a request's values of one parameter into the draft. White space around a value never counts.
 * @param known the parameters that the operation accepts
 * @param own those that differ from the ones of the same name
 */
export function readParameter(
  known: readonly string[],
  name: string,
  values: readonly (string | NotUtf8)[],
  draft: Draft,
  own: Readonly<Record<string, Parameter>> = {},
): Fault | undefined {
  const parameter = known.includes(name) ? (own[name] ?? parameters[name]) : undefined;
  if (parameter === undefined) {
    const rule = `is not a parameter of this operation; it accepts ${known.join(", ") || "none"}`;
    return { code: "unknown", message: `${shown(name) || "an empty name"} ${rule}` };
  }
  const [value, ...more] = values;
  if (value === undefined || more.length > 0)
    return { code: "repeated", message: `${name} must be given once, got ${values.length} values` };
  if (typeof value !== "string") return malformed(`${name} must be UTF-8 text`, value.encoded);
  const trimmed = value.trim();
  if (trimmed === "") return { code: "blank", message: `${name} must not be blank; omit it instead` };
  return parameter.read(trimmed, draft);
}
