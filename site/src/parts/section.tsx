// Shows a section of a page: a rule, a heading, a note.
import type { ComponentChildren } from "preact";

type Properties = {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A section with its heading. */
export function Section({ title, note, children }: Properties) {
  return (
    <section class="section">
      <h2>{title}</h2>
      {note === undefined ? null : <p class="section-note">{note}</p>}
      {children}
    </section>
  );
}
