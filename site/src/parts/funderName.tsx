// Shows a funder in a cell: its name, if the release has it, and its EIN.
import { pageHref } from "../api/calls.ts";
import type { Names } from "../names/useNames.ts";
import { formatEinText } from "../text/numbers.ts";
import { FiledText } from "./filedText.tsx";

/** A link to the funder's page. */
export function FunderName({ ein, names }: { ein: string; names: Names }) {
  const name = names.nameOf(ein)?.name;
  return (
    <div class={names.hasNames ? "two-lines" : ""}>
      <a href={pageHref("funder", { ein })} title={name}>
        {name === undefined ? `EIN ${formatEinText(ein)}` : <FiledText text={name} />}
      </a>
      {name === undefined ? null : <small>EIN {formatEinText(ein)}</small>}
    </div>
  );
}
