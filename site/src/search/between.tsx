// Links the pages of the funder and the recipient that a search is about.

import type { Query } from "../address/query.ts";
import { pageHref } from "../api/calls.ts";
import { FiledText } from "../parts/filedText.tsx";
import { formatEinText } from "../text/numbers.ts";
import { cleanEin } from "./fields.ts";
import type { KnownNames } from "./sentences.ts";

/** Links to the funder's and the recipient's pages; nothing if the search names neither. */
export function Between({ query, known }: { query: Query; known: KnownNames }) {
  const sides = [
    { page: "funder", word: "Funder", ein: query.funder_ein, name: known.funder },
    { page: "recipient", word: "Recipient", ein: query.recipient_ein, name: known.recipient },
  ] as const;
  const named = sides.filter(({ ein }) => ein !== undefined);
  if (named.length === 0) return null;
  return (
    <p class="between">
      {named.map(({ page, word, ein = "", name }) => (
        <span key={page}>
          {word}{" "}
          <a href={pageHref(page, { ein: cleanEin(ein) })}>
            {name === undefined ? `EIN ${formatEinText(cleanEin(ein))}` : <FiledText text={name} />}
          </a>
          {name === undefined ? null : <small> EIN {formatEinText(cleanEin(ein))}</small>}
        </span>
      ))}
    </p>
  );
}
