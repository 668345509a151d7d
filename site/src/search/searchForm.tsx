// Shows the search form: the box with its suggestions.
import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { pageHref } from "../api/calls.ts";
import { useNames } from "../names/useNames.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { readEin, type Scope, withWords } from "./fields.ts";
import { boxLabel, useBox } from "./useBox.tsx";
import type { FormState } from "./useForm.ts";

/** The id of the form: filters that stand elsewhere on the page belong to it too. */
export const formId = "search";

/** The form with its box. @param children filters, where they stand in the form */
export function SearchForm({
  form,
  isHome,
  isDisabled,
  children,
}: {
  form: FormState;
  isHome: boolean;
  /** True where there is nothing to search with. */
  isDisabled: boolean;
  children: ComponentChildren;
}) {
  return (
    <form
      id={formId}
      role="search"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        const ein = readEin(form.fields[form.fields.scope]);
        if (ein === undefined) form.submit(form.fields);
        else location.assign(pageHref("funder", { ein })); // its page handles unknown EINs
      }}
    >
      <fieldset disabled={isDisabled}>
        <legend class="hidden">Search the grants</legend>
        <Box form={form} isHome={isHome} />
        {children}
      </fieldset>
    </form>
  );
}

function Box({ form, isHome }: { form: FormState; isHome: boolean }) {
  const { fields, change, submit } = form;
  const { scope } = fields;
  const words = fields[scope];
  const fault = form.faultOf(scope);
  const label = boxLabel(useNames([]).hasNames);
  const box = useBox(words, scope, (target) => submit(withWords(fields, target)));
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
