// Defines the operations that group the matching grants.
import type { CsvForm } from "../csv.ts";
import { type Filters, type GroupKey, groupKeys } from "../filters.ts";
import { pageSizeDefault } from "../limits.ts";
import { csvParameters, filterParameters, groupParameters } from "../parameters.ts";
import { type Draft, splitForm } from "../values.ts";
import { csv } from "./history.ts";
import { found, type Operation, searchErrors } from "./operation.ts";

/** The matching grants, grouped: the groups from `offset` to `offset + limit`. */
export type GroupsRequest = {
  readonly kind: "groups";
  readonly by: GroupKey;
  /** Causes by whole codes; absent for major groups. */
  readonly level?: "code";
  readonly filters: Filters;
  readonly sort: "amount" | "records";
  readonly limit: number;
  readonly offset: number;
};

/** The first groups as CSV. */
export type GroupsExportRequest = {
  readonly kind: "groupsExport";
  readonly by: GroupKey;
  readonly level?: GroupsRequest["level"];
  readonly filters: Filters;
  readonly sort: GroupsRequest["sort"];
  readonly form: CsvForm;
};

const grouped = {
  own: groupParameters,
  required: { name: "by", rule: `one of ${groupKeys.join(", ")}` },
  errors: searchErrors,
} as const;

/** The operations, in the order of the document. */
export const groupOperations = [
  {
    ...grouped,
    id: "groupGrants",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause",
    path: "/v1/history/groups",
    parameters: ["by", "level", ...filterParameters, "sort", "limit", "offset"],
    answer: { about: "The groups.", schema: "Groups", headers: found },
    toRequest: ({ limit = pageSizeDefault, offset = 0, ...draft }: Draft): GroupsRequest | undefined => {
      const groups = group(draft);
      return groups && { kind: "groups", ...groups, limit, offset };
    },
  },
  {
    ...grouped,
    ...csv,
    id: "exportGroups",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause, as CSV",
    path: "/v1/history/groups.csv",
    parameters: ["by", "level", ...filterParameters, "sort", ...csvParameters],
    toRequest: (draft: Draft): GroupsExportRequest | undefined => {
      const [others, form] = splitForm(draft);
      const groups = group(others);
      return groups && { kind: "groupsExport", ...groups, form };
    },
  },
] as const satisfies readonly Operation[];

/** What is grouped, and how; undefined if it is not said by what. */
function group({ by, level, sort, ...filters }: Draft) {
  if (by === undefined) return undefined;
  return { by, ...(level && { level }), filters, sort: sort === "records" ? sort : ("amount" as const) };
}
