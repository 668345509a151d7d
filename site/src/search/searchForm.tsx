// Shows the search form: the box, what its words become, and the filters.
import type { TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Problem } from "../../../api-static/contract/errors.ts";
import type { Query } from "../address/query.ts";
import type { Failure, Status } from "../api/client.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { explain, type FieldProblems, type Fields, readFields, type Scope, writeFields } from "./fields.ts";
import { Filters } from "./filters.tsx";
import { toOptions } from "./suggestionLine.tsx";
import { useSuggestions } from "./useSuggestions.ts";

type Properties = {
  readonly search: string;
  readonly query: Query;
  readonly problems: readonly Problem[];
  readonly failure: Failure | undefined;
  readonly isHome: boolean;
  readonly isNarrow: boolean;
  readonly status: Status | undefined;
  readonly onSearch: (query: Query) => void;
};

/** The form. What its fields ask becomes the page's address when it is submitted. */
export function SearchForm(properties: Properties) {
  const { search, query, problems, failure, isHome, onSearch } = properties;
  const [fields, setFields] = useState(() => readFields(query));
  const [faults, setFaults] = useState<FieldProblems>({});
  useLayoutEffect(() => {
    setFields(readFields(query));
    setFaults({});
  }, [search]);
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }));
  const submit = (asked: Fields) => {
    const written = writeFields(asked);
    const isEmpty = Object.keys(written.query).length === 0;
    const found: FieldProblems =
      isEmpty && isHome && Object.keys(written.problems).length === 0
        ? { [asked.scope]: "Enter a word, a name, or an EIN." }
        : written.problems;
    setFields(asked);
    setFaults(found);
    if (Object.keys(found).length === 0) onSearch(written.query);
    else focusFault(found);
  };
  const faultOf = (parameter: string) => faults[parameter] ?? findFault(parameter, query, problems, failure);
  return (
    <form
      class="search-form"
      role="search"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        submit(fields);
      }}
    >
      <Box {...{ fields, change, submit, isHome }} fault={faultOf(fields.scope)} />
      {isHome ? null : <Filters {...{ fields, change, submit, faultOf }} {...properties} />}
    </form>
  );
}

type BoxProperties = {
  readonly fields: Fields;
  readonly change: (changed: Partial<Fields>) => void;
  readonly submit: (fields: Fields) => void;
  readonly isHome: boolean;
  readonly fault: string | undefined;
};

function Box({ fields, change, submit, isHome, fault }: BoxProperties) {
  const { words, scope } = fields;
  const options = toOptions(useSuggestions(words, scope));
  const choose = (each: Scope) => {
    if (words.trim() === "" || isHome) change({ scope: each });
    else submit({ ...fields, scope: each, otherWords: "" });
  };
  return (
    <>
      <div class="box-row">
        <div class="box">
          <Icon name="search" />
          <Combobox
            id="box"
            fieldClass="field box-field"
            label="Purpose, funder name, or EIN"
            placeholder="Purpose, funder name, or EIN"
            value={words}
            onText={(text) => change({ words: text })}
            options={options}
            onChoose={({ suggestion: { target } }) => {
              if ("href" in target) location.assign(target.href);
              else submit({ ...fields, ...target });
            }}
            problemId={fault === undefined ? undefined : "box-fault"}
            isFocused={isHome}
          />
        </div>
        <button class="button button-main box-button" type="submit">
          Search
        </button>
      </div>
      {fault === undefined ? null : (
        <p class="field-error" id="box-fault">
          {fault}
        </p>
      )}
      <fieldset class="scopes">
        <legend>Look for words in</legend>
        {(["purpose", "recipient_name"] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="scope" checked={scope === each} onChange={() => choose(each)} />
            {each === "purpose" ? "grant purpose" : "recipient name"}
          </label>
        ))}
      </fieldset>
    </>
  );
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

/** Moves the focus to the first field with a problem. */
function focusFault(faults: FieldProblems): void {
  const [parameter = ""] = Object.keys(faults);
  const id = parameter === "purpose" || parameter === "recipient_name" ? "box" : `filter-${parameter}`;
  document.getElementById(id)?.focus();
}
