// Finds the problems of parameters that are valid alone, but not together.
import type { Problem } from "./errors.ts";
import { letterNames } from "./filters/attributes.ts";
import { filtersIn } from "./filters/table.ts";
import * as limits from "./limits.ts";
import type { Draft } from "./values.ts";

/** @param isGrouped true for groups, whose pages have other bounds */
export function findConflicts(draft: Draft, isGrouped: boolean): Problem[] {
  const { by, level, sort, offset = 0, limit = limits.pageSizeDefault } = draft;
  const problems: Problem[] = [];
  const refuse = (parameter: string, code: Problem["code"], rule: string) =>
    problems.push({ parameter, code, message: `${parameter} must ${rule}` });
  for (const { name, findConflicts } of filtersIn(draft))
    for (const { code, rule } of findConflicts?.(draft) ?? []) refuse(name, code, rule);
  if (level !== undefined && !letterNames.includes(by ?? ""))
    refuse("level", "malformed", `not be given without by=${letterNames.join(" or by=")}`);
  if (isGrouped && offset + limit > limits.groupsMax)
    refuse("offset", "out_of_range", `be at most ${limits.groupsMax} together with limit`);
  if (!isGrouped && sort === "amount" && offset > limits.offsetByAmountMax)
    refuse("offset", "out_of_range", `be at most ${limits.offsetByAmountMax} with sort=amount`);
  return problems;
}
