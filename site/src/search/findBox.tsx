// Shows the small search box in the masthead of all pages but Search; on phones a button opens it.
import { useRef, useState } from "preact/hooks";
import { openPage } from "../address/opened.ts";
import { useNames } from "../names/useNames.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Icon } from "../parts/icon.tsx";
import { wordsHref } from "./fields.ts";
import { boxLabel, useBox } from "./useBox.tsx";

/** The box; Enter takes the first suggestion, which for words is a search of purposes. */
export function FindBox() {
  const [text, setText] = useState("");
  const [isOpen, setIsOpen] = useState(false);
  const row = useRef<HTMLFormElement>(null);
  const label = boxLabel(useNames([]).hasNames);
  const box = useBox(text, "purpose", (words) => openPage(wordsHref(words)));
  return (
    <>
      <button
        type="button"
        class="find-toggle"
        aria-expanded={isOpen}
        aria-controls="find-form"
        onClick={() => {
          setIsOpen(!isOpen);
          if (!isOpen) requestAnimationFrame(() => row.current?.querySelector("input")?.focus());
        }}
      >
        <Icon name={isOpen ? "close" : "search"} />
        <span class="hidden">Search</span>
      </button>
      <form
        ref={row}
        id="find-form"
        role="search"
        class={`find-form${isOpen ? " is-open" : ""}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") box.onEarly();
        }}
      >
        <Icon name="search" />
        <Combobox
          id="box"
          fieldClass="field"
          label={label}
          placeholder={label}
          value={text}
          onText={setText}
          {...box}
        />
        <button type="submit" class="hidden" tabIndex={-1}>
          Find
        </button>
      </form>
    </>
  );
}
