// Offers a field that adds a funder by EIN or name.
import { useState } from "preact/hooks";
import { type Ein, parseEin } from "../../../api-static/contract/ein.ts";
import { useNames } from "../names/useNames.ts";
import { FunderField } from "../parts/funderField.tsx";

type Properties = { readonly taken: readonly Ein[]; readonly onAdd: (ein: Ein) => void };

/** The form of an empty slot. */
export function AddFunder({ taken, onAdd }: Properties) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const { hasNames } = useNames([]);
  const add = (typed: string) => {
    const ein = parseEin(typed.trim());
    if (ein === undefined) return setProblem("An EIN has nine digits, for example 13-1635294.");
    if (taken.includes(ein)) return setProblem("This funder is already here.");
    setText("");
    setProblem(undefined);
    onAdd(ein);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    add(text);
  };
  return (
    <form class="add-funder" onSubmit={submit}>
      <FunderField
        id="add"
        label={`Add a funder: ${hasNames ? "name or EIN" : "EIN"}`}
        text={text}
        onText={setText}
        onFunder={add}
        problem={problem}
      />
      <button class="button" type="submit">
        Add
      </button>
    </form>
  );
}
