// Finds the problems of parameters that are valid alone, but not together.
import type { Problem } from "./errors.ts";
import * as limits from "./limits.ts";
import type { Draft } from "./values.ts";

/** @param isGrouped true for groups, whose pages have other bounds */
export function findConflicts(draft: Draft, isGrouped: boolean): Problem[] {
  const { transactionYear, minYear, maxYear, minAmountCents, maxAmountCents, sort, offset = 0 } = draft;
  const problems: Problem[] = [];
  const refuse = (parameter: string, code: Problem["code"], rule: string) =>
    problems.push({ parameter, code, message: `${parameter} must ${rule}` });
  if (transactionYear !== undefined)
    for (const [name, year] of Object.entries({ min_year: minYear, max_year: maxYear }))
      if (year !== undefined) refuse(name, "malformed", "not be given together with transaction_year");
  if (minYear !== undefined && maxYear !== undefined && minYear > maxYear)
    refuse("max_year", "out_of_range", "not be less than min_year");
  if (minAmountCents !== undefined && maxAmountCents !== undefined && minAmountCents > maxAmountCents)
    refuse("max_amount", "out_of_range", "not be less than min_amount");
  const { limit = limits.pageSizeDefault } = draft;
  if (isGrouped && offset + limit > limits.groupsMax)
    refuse("offset", "out_of_range", `be at most ${limits.groupsMax} together with limit`);
  if (!isGrouped && sort === "amount" && offset > limits.offsetByAmountMax)
    refuse("offset", "out_of_range", `be at most ${limits.offsetByAmountMax} with sort=amount`);
  return problems;
}
