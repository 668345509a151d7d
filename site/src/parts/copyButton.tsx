// Copies a text and says so.
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A button that copies `text()`; it says "Copied" for two seconds. */
export function CopyButton({ text, label = "Copy" }: { text: () => string; label?: string }) {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid("Copied");
    } catch {
      setSaid("Not allowed"); // the browser refuses, for example without HTTPS
    }
    setTimeout(() => setSaid(undefined), 2_000);
  };
  return (
    <button type="button" class="button" onClick={copy}>
      <Icon name="copy" /> <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
