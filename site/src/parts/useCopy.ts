// Copies text to the clipboard and says for two seconds whether it was copied.
import { useState } from "preact/hooks";

/** What the last copy said, if that was just now, and a function that copies. */
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
