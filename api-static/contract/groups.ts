// Defines the operations that group the matching grants.
import type { CsvForm } from "./csv.ts";
import type { Problem } from "./errors.ts";
import { filterNames } from "./filters/table.ts";
import { type Filters, type GroupKey, groupKeys } from "./filters.ts";
import { pageSizeDefault } from "./limits.ts";
import { csvParameters, groupParameters } from "./parameters.ts";
import { routes } from "./routes.ts";
import { type Draft, splitForm } from "./values.ts";

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

/** The operations, in the order of the document. */
export const groupOperations = [
  {
    id: "groupGrants",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause",
    path: routes.groups,
    parameters: ["by", "level", ...filterNames, "match", "sort", "limit", "offset"],
    own: groupParameters,
    toRequest: ({ limit = pageSizeDefault, offset = 0, ...draft }: Draft) =>
      group(draft, (groups) => ({ kind: "groups" as const, ...groups, limit, offset })),
  },
  {
    id: "exportGroups",
    summary: "The matching grants by funder, recipient, year, type, town, state or cause, as CSV",
    path: routes.groupsExport,
    parameters: ["by", "level", ...filterNames, "match", "sort", ...csvParameters],
    own: groupParameters,
    toRequest: (draft: Draft) => {
      const [others, form] = splitForm(draft);
      return group(others, (groups) => ({ kind: "groupsExport" as const, ...groups, form }));
    },
  },
] as const;

/** The request, or the problem that it does not say by what to group. */
function group<Request>(
  { by, level, sort, ...filters }: Draft,
  toRequest: (groups: Pick<GroupsRequest, "by" | "level" | "filters" | "sort">) => Request,
): Request | { readonly kind: "refused"; readonly problems: readonly Problem[] } {
  const ofCodes = level && { level };
  if (by !== undefined)
    return toRequest({ by, ...ofCodes, filters, sort: sort === "records" ? sort : "amount" });
  const message = `by must be given: one of ${groupKeys.join(", ")}`;
  return { kind: "refused", problems: [{ parameter: "by", code: "blank", message }] };
}
