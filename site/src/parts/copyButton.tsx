// Shows a button that copies a text and confirms it.
import { Icon } from "./icon.tsx";
import { useCopy } from "./useCopy.ts";

/** A button that copies `text()`; its label is "Copied" for two seconds. */
export function CopyButton({ text }: { text: () => string }) {
  const { said, copy } = useCopy();
  return (
    <button type="button" class="button" onClick={() => copy(text())}>
      <Icon name="copy" /> <span aria-live="polite">{said ?? "Copy"}</span>
    </button>
  );
}
