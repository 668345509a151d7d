// Shows the recipients that two or more of the funders fund.
import { useState } from "preact/hooks";
import { formatQuery } from "../address/query.ts";
import type { SharedRecipients } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { formatAmount, formatCount, formatCounted, formatEinText } from "../text/numbers.ts";
import type { Compared } from "./compared.ts";
import { shownAtMost } from "./useCompared.ts";

/** Rows shown at first. */
const shownAtFirst = 12;

type Properties = {
  readonly shared: SharedRecipients;
  readonly compared: readonly Compared[];
  readonly year: number | undefined;
  readonly nameOf: (ein: string) => string;
};

/** The table of shared recipients, a column for each funder; on phones a card for each recipient. */
export function SharedTable({ shared: { data, total }, compared, year, nameOf }: Properties) {
  const [isOpen, setIsOpen] = useState(false);
  const shown = isOpen ? data : data.slice(0, shownAtFirst);
  const more = Math.min(total, shownAtMost);
  return (
    <section class="section">
      <h2>
        {total === 0
          ? "No recipients in common"
          : `${formatCounted(total, "recipient")} funded by two or more`}
      </h2>
      <p class="section-note">
        Matched by EIN
        {total === 0
          ? "; grants without one can’t be matched."
          : ". Most funders in common first, then largest sum. Choose an amount to see the grants between the two."}
      </p>
      {total === 0 ? null : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Shared recipients">
          <table class="table shared" role="table">
            <caption class="hidden">Recipients funded by two or more of these funders</caption>
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">
                  Recipient
                </th>
                {compared.map(({ ein }, index) => (
                  <th
                    key={ein}
                    scope="col"
                    role="columnheader"
                    class={`is-number comparison-head tone-${index + 1}`}
                  >
                    <FiledText text={nameOf(ein)} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {shown.map(({ recipient_ein: ein, recipient_name: name, funders }) => (
                <tr key={ein} role="row">
                  <th scope="row" role="rowheader">
                    <a href={`/recipient?ein=${ein}`}>
                      {name === null ? `EIN ${formatEinText(ein)}` : <FiledText text={name} />}
                    </a>
                  </th>
                  {compared.map(({ ein: funder }, index) => {
                    const sum = funders.find(({ funder_ein }) => funder_ein === funder);
                    return (
                      <td key={funder} role="cell" class={`is-number tone-${index + 1}`}>
                        <span class="comparison-of" aria-hidden="true">
                          {nameOf(funder)}
                        </span>
                        {sum === undefined ? (
                          <span class="is-missing">–</span>
                        ) : (
                          <>
                            <a
                              href={`/${formatQuery({ funder_ein: funder, recipient_ein: ein, transaction_year: year })}`}
                            >
                              {formatAmount(sum.amount)}
                            </a>
                            {sum.records === 1 ? null : <small>{formatCounted(sum.records)}</small>}
                          </>
                        )}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {total <= shownAtFirst ? null : (
        <p class="shared-more">
          <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen
              ? "Show fewer"
              : more < total
                ? `Show ${formatCount(more)} of ${formatCount(total)}`
                : `Show all ${formatCount(more)}`}
          </button>
        </p>
      )}
    </section>
  );
}
