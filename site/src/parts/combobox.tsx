// Shows a text field with a list of suggestions, after the ARIA pattern: the focus stays in the field.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatCounted } from "../text/numbers.ts";

export type Option = {
  readonly key: string;
  readonly content: ComponentChildren;
  /** Shown at the end of the line. */
  readonly note?: string | undefined;
};

type Properties<Each extends Option> = {
  readonly id: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** The choices; Enter takes the first unless the arrow keys chose another. */
  readonly options: readonly Each[];
  readonly onChoose: (option: Each) => void;
  /** Called when a reader is at the field, who may type soon. */
  readonly onUse: () => void;
  /** Called for Enter after the reader typed, while there are no choices yet; without it, the form is submitted. */
  readonly onEarly?: () => void;
  /** What finds the choices. */
  readonly children?: ComponentChildren;
  readonly fieldClass?: string | undefined;
  /** `id` of the form, if the field stands outside it. */
  readonly form?: string | undefined;
  readonly label?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly problemId?: string | undefined;
  readonly isFocused?: boolean | undefined;
};

/** The field; its list opens as the reader types, and closes on Escape or when the focus leaves. */
export function Combobox<Each extends Option>(properties: Properties<Each>) {
  const { id, value, onText, options, onChoose, fieldClass = "field", problemId } = properties;
  const list = `${id}-options`;
  const [isWanted, setIsWanted] = useState(false);
  const [active, setActive] = useState<string>();
  const isOpen = isWanted && options.length > 0;
  // The key: choices that arrive later do not take the place of the one that the reader is at.
  const current = Math.max(
    0,
    options.findIndex(({ key }) => key === active),
  );
  const optionId = (index: number) => `${list}-${index}`;
  const choose = (option: Each | undefined) => {
    setIsWanted(false);
    if (option !== undefined) onChoose(option);
  };
  const move = (event: KeyboardEvent, to: number) => {
    event.preventDefault();
    setIsWanted(true);
    setActive(isOpen ? options[(to + options.length) % options.length]?.key : undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") move(event, current + 1);
    else if (event.key === "ArrowUp") move(event, current - 1);
    else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      setIsWanted(false);
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      choose(options[current]);
    } else if (event.key === "Enter" && isWanted && value.trim() !== "" && properties.onEarly !== undefined) {
      event.preventDefault();
      setIsWanted(false);
      properties.onEarly();
    }
  };
  return (
    <div class="combobox">
      {properties.children}
      <input
        id={id}
        class={fieldClass}
        type="text"
        role="combobox"
        form={properties.form}
        aria-label={properties.label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-activedescendant={isOpen ? optionId(current) : undefined}
        aria-invalid={problemId === undefined ? undefined : true}
        aria-describedby={problemId}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        enterkeyhint="search"
        autofocus={properties.isFocused}
        placeholder={properties.placeholder}
        value={value}
        onInput={(event) => {
          properties.onUse(); // the focus may have come before the page's script
          setIsWanted(true);
          setActive(undefined);
          onText(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onFocus={properties.onUse}
        onBlur={() => setIsWanted(false)}
      />
      <p class="hidden" role="status">
        {isOpen ? formatCounted(options.length, "suggestion") : ""}
      </p>
      <div id={list} class="options" role="listbox" tabIndex={-1} aria-label="Suggestions" hidden={!isOpen}>
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
          <div
            key={option.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onMouseDown={(event) => event.preventDefault()} // keeps the focus in the field
            onMouseMove={() => setActive(option.key)}
            onClick={() => choose(option)}
          >
            <span>{option.content}</span>
            {option.note === undefined || option.note === "" ? null : <small>{option.note}</small>}
          </div>
        ))}
      </div>
    </div>
  );
}
