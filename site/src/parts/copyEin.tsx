// Copies an EIN as nine digits, the form that other tools take.
import { useState } from "preact/hooks";
import { formatEinText } from "../text/numbers.ts";
import { Icon } from "./icon.tsx";

/** A small button that copies the EIN without its hyphen. */
export function CopyEin({ ein }: { ein: string }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(ein);
      setSaid("Copied");
    } catch {
      setSaid("Not allowed"); // the browser refuses, for example without HTTPS
    }
    setTimeout(() => setSaid(""), 2_000);
  };
  return (
    <>
      <button type="button" class="icon-button" aria-label={`Copy EIN ${formatEinText(ein)}`} onClick={copy}>
        <Icon name="copy" />
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}
