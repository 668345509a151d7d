// Shows a chip for each filter that is set; each removes its filter. For phones, where the fields are folded.
import { formatQuery, type Query, without, withoutNeedlessMatch } from "../address/query.ts";
import { Icon } from "../parts/icon.tsx";
import { formatAmount, formatEinText } from "../text/numbers.ts";
import { cleanEin } from "./fields.ts";
import { filtersOf } from "./readSearch.ts";
import type { KnownNames } from "./sentences.ts";

/** The chips; the words of the box have none. */
export function FilterChips({ query, known }: { query: Query; known: KnownNames }) {
  const ein = (value: string) => formatEinText(cleanEin(value));
  const chips: readonly (readonly [parameter: string, label: string, value: string | undefined])[] = [
    ["transaction_year", "Year", query.transaction_year],
    [
      "min_amount",
      "At least",
      query.min_amount === undefined ? undefined : formatAmount(Number(query.min_amount)),
    ],
    ["funder_ein", "Funder", query.funder_ein && (known.funder ?? ein(query.funder_ein))],
    ["recipient_ein", "Recipient", query.recipient_ein && (known.recipient ?? ein(query.recipient_ein))],
    ["recipient_name", "Recipient named", query.purpose && query.recipient_name],
  ];
  return (
    <>
      {chips.map(([parameter, label, value]) =>
        value === undefined ? null : (
          <a
            key={parameter}
            class="chip is-filter"
            href={`/${formatQuery(withoutNeedlessMatch(without(filtersOf(query), parameter)))}`}
          >
            <span class="hidden">Remove filter </span>
            {label} <b>{value}</b> <Icon name="close" />
          </a>
        ),
      )}
    </>
  );
}
