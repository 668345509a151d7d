// Shows the text of the guide: its parts and paragraphs, in which backticks mark code.
import type { ComponentChildren } from "preact";

/** e.g., "`total` is exact" with the first word as code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>
  );
}

/** A part of the guide that is about all operations. */
export function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="section guide-part" id={idOf(title)}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The anchor of a part, e.g., "page-files" of "Page files". */
export function idOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** A paragraph. */
export function P({ text }: { text: string }) {
  return (
    <p>
      <Prose text={text} />
    </p>
  );
}

/** A panel of code. */
export function Code({ children }: { children: ComponentChildren }) {
  return (
    <div class="code-panel">
      <pre>{children}</pre>
    </div>
  );
}
