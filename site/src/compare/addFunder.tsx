// Offers a field that adds a funder by EIN or name.
import { useState } from "preact/hooks";
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";

type Properties = { readonly taken: readonly Ein[]; readonly onAdd: (ein: Ein) => void };

/** The form of an empty slot. */
export function AddFunder({ taken, onAdd }: Properties) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = (event: Event) => {
    event.preventDefault();
    const ein = parseEin(text.trim());
    if (ein === undefined) return setProblem("An EIN has nine digits, for example 13-1635294.");
    if (taken.includes(ein)) return setProblem("This funder is already here.");
    setText("");
    setProblem(undefined);
    onAdd(ein);
  };
  return (
    <form class="add-funder" onSubmit={add}>
      <label class="label" for="add">
        Add a funder: name or EIN
      </label>
      <div class="add-funder-row">
        <input
          class="field"
          id="add"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "add-problem"}
        />
        <button class="button" type="submit">
          Add
        </button>
      </div>
      {problem === undefined ? null : (
        <p class="field-error" id="add-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
