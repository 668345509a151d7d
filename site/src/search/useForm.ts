// Holds the values of the search form's fields until it is submitted, and their problems.
import { useLayoutEffect, useState } from "preact/hooks";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query } from "../address/query.ts";
import type { Failure } from "../api/client.ts";
import { explain } from "../text/problems.ts";
import { type FieldProblems, type Fields, readFields, writeFields } from "./fields.ts";

export type FormState = {
  readonly fields: Fields;
  readonly change: (changed: Partial<Fields>) => void;
  /** Searches by the fields, or moves the focus to the first invalid one. */
  readonly submit: (fields: Fields) => void;
  /** The problem of a parameter's field. */
  readonly faultOf: (parameter: string) => string | undefined;
};

/**
 * The fields of the page's address, until someone changes them.
 * @param read the parameters of the address that have a field, and the problems with them
 * @param failure the API's, which may name parameters
 * @param isHome whether an empty form is a problem
 */
export function useForm(
  { query, problems }: { readonly query: Query; readonly problems: readonly Problem[] },
  failure: Failure | undefined,
  onSearch: (query: Query) => void,
  isHome = false,
): FormState {
  const [fields, setFields] = useState(() => readFields(query));
  const [faults, setFaults] = useState<FieldProblems>({});
  useLayoutEffect(() => {
    setFields(readFields(query));
    setFaults({});
  }, [formatQuery(query)]);
  const submit = (asked: Fields) => {
    const written = writeFields(asked);
    const isEmpty = Object.keys(written.query).length + Object.keys(written.problems).length === 0;
    const found: FieldProblems =
      isEmpty && isHome ? { [asked.scope]: "Enter a word or an EIN." } : written.problems;
    setFields(asked);
    setFaults(found);
    if (Object.keys(found).length === 0) onSearch(written.query);
    else focusFault(found);
  };
  return {
    fields,
    change: (changed) => setFields((before) => ({ ...before, ...changed })),
    submit,
    faultOf: (parameter) => faults[parameter] ?? findFault(parameter, query, problems, failure),
  };
}

/** The problem of a parameter in the address, or in the API's answer. */
function findFault(
  parameter: string,
  query: Query,
  problems: readonly Problem[],
  failure: Failure | undefined,
): string | undefined {
  const problem = [...problems, ...(failure?.problems ?? [])].find((each) => each.parameter === parameter);
  return problem === undefined ? undefined : explain(problem, query[parameter] ?? "");
}

/** Moves the focus to the first field with a problem; a parameter without a field is in the box. */
function focusFault(faults: FieldProblems): void {
  const [parameter = ""] = Object.keys(faults);
  const name = parameter === "transaction_year" ? "min_year" : parameter;
  const field = document.getElementById(`filter-${name}`) ?? document.getElementById("box");
  field?.focus();
}
