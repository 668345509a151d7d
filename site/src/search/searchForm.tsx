// Shows the search form: the box with its suggestions.
import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { nameCause } from "../../../api-static/contract/text/causes.ts";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { causeFundersHref } from "../groups/group.ts";
import { useNames } from "../names/useNames.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { writePlace } from "../text/places.ts";
import { matchOf, placeNames, type Scope, withWords } from "./fields.ts";
import { boxLabel, useBox } from "./useBox.tsx";
import type { FormState } from "./useForm.ts";

/** The id of the form: filters that stand elsewhere on the page belong to it too. */
export const formId = "search";

/** The form with its box. @param children filters, where they stand in the form */
export function SearchForm({
  form,
  query,
  known,
  isHome,
  isDisabled,
  children,
}: {
  form: FormState;
  /** The query of the address: its words are searched as they are. */
  query: Query;
  known: KnownNames;
  isHome: boolean;
  /** True where there is nothing to search with. */
  isDisabled: boolean;
  children: ComponentChildren;
}) {
  const { fields, submit } = form;
  const words = fields[fields.scope];
  const box = useBox(words, fields.scope, (target) => submit(withWords(fields, target)));
  return (
    <form
      id={formId}
      role="search"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (words.trim() === "" || words === query[fields.scope]) submit(fields);
        else box.onEarly();
      }}
    >
      <fieldset disabled={isDisabled}>
        <legend class="hidden">Search the grants</legend>
        <Box form={form} isHome={isHome} box={box} />
        <Read query={query} known={known} scope={fields.scope} />
        {children}
      </fieldset>
    </form>
  );
}

type BoxProperties = { form: FormState; isHome: boolean; box: ReturnType<typeof useBox> };

function Box({ form, isHome, box }: BoxProperties) {
  const { fields, change, submit } = form;
  const { scope } = fields;
  const words = fields[scope];
  const fault = form.faultOf(scope);
  const label = boxLabel(useNames([]).hasNames);
  const choose = (each: Scope) => {
    if (words.trim() === "") return change({ scope: each });
    const moved = withWords(fields, { scope: each, words });
    if (isHome) change(moved);
    else submit(moved);
  };
  return (
    <>
      <div class="box-row">
        <div class="box">
          <Icon name="search" />
          <Combobox
            id="box"
            fieldClass="field box-field"
            label={label}
            placeholder={label}
            value={words}
            onText={(text) => change({ [scope]: text })}
            {...box}
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

type ReadProperties = { query: Query; known: KnownNames; scope: Scope };

/** The place and the cause of the search, as the box read them or as filters have them. Removing one gives its words back to the box. */
function Read({ query, known: { nameOfCause = nameCause }, scope }: ReadProperties) {
  const { recipient_cause: code } = query;
  const cause = code === undefined ? "" : nameOfCause(code);
  const chips = [
    { text: cause && `for ${cause}`, words: cause.replace(/ \(.*/, ""), names: ["recipient_cause"] },
    { text: writePlace(query), words: writePlace(query), names: placeNames },
  ].filter(({ text }) => text !== "");
  return chips.length === 0 ? null : (
    <p class="read">
      Read as:{" "}
      {chips.map(({ text, words, names }) => {
        const all = `${query[scope] ?? ""} ${words}`.trim();
        const rest = { ...without(query, ...names, "offset"), [scope]: all, match: matchOf(all) };
        return (
          <a key={text} class="chip is-filter" href={`/${formatQuery(rest)}`}>
            <b>{text}</b>
            <span class="hidden">. Search for these words instead</span> <Icon name="close" />
          </a>
        );
      })}
      {code === undefined ? null : <a href={causeFundersHref(query, code)}>Funders of this cause</a>}
    </p>
  );
}
