// Shows buttons that copy a text, or an EIN as nine digits, and confirm it for two seconds.

import { useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";

import { Icon } from "./icon.tsx";

/** A button that copies `text()`; its label is "Copied" for two seconds. @param what the text is, for screen readers */
export function CopyButton({ text, what }: { text: () => string; what?: string }) {
  const { said, copy } = useCopy();
  return (
    <button type="button" class="button" onClick={() => copy(text())}>
      <Icon name="copy" />
      <span>
        <span aria-live="polite">{said ?? "Copy"}</span>
        {what === undefined ? null : <span class="hidden"> {what}</span>}
      </span>
    </button>
  );
}

/** A small button that copies the EIN without its hyphen. */
export function CopyEin({ ein }: { ein: string }) {
  const { said, copy } = useCopy();
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy EIN ${hyphenateEin(ein)}`}
        onClick={() => copy(ein)}
      >
        <Icon name="copy" />
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}

/** The outcome of a recent copy, and a function that copies. */
export function useCopy(): {
  readonly said: string | undefined;
  readonly copy: (text: string) => Promise<void>;
} {
  const [said, setSaid] = useState<string>();
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Not allowed"); // the browser refuses, for example without HTTPS
    }
    setTimeout(() => setSaid(undefined), 2_000);
  };
  return { said, copy };
}
