// Copies text to the clipboard, and shows the outcome for two seconds.
import { useState } from "preact/hooks";

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
