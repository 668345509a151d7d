// Shows a small button that copies an EIN as nine digits, the form that other tools accept.
import { formatEinText } from "../text/numbers.ts";
import { Icon } from "./icon.tsx";
import { useCopy } from "./useCopy.ts";

/** A small button that copies the EIN without its hyphen. */
export function CopyEin({ ein }: { ein: string }) {
  const { said, copy } = useCopy();
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={`Copy EIN ${formatEinText(ein)}`}
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
