// Folds a part of a page. Nothing of it is loaded before the reader opens it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLoaded } from "./useLoaded.ts";

type Properties<Part> = {
  readonly title: string;
  /** Its classes. */
  readonly name: string;
  readonly load: () => Promise<Part>;
  readonly children: (part: Part) => ComponentChildren;
};

/** The fold. */
export function Fold<Part>({ title, name, load, children }: Properties<Part>) {
  const [isOpen, setIsOpen] = useState(false);
  const part = useLoaded(isOpen, load);
  return (
    <details class={name} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {part === undefined ? null : children(part)}
    </details>
  );
}
