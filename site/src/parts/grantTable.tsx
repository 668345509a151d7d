// Shows grants as a table; on phones as cards.
import { type Query, searchedTexts } from "../address/query.ts";
import { pageHref } from "../api/calls.ts";
import type { Grant } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import type { Names } from "../names/useNames.ts";
import { formatEinText } from "../text/numbers.ts";
import { CheckFiling } from "./checkFiling.tsx";
import { Clamped } from "./clamped.tsx";
import { FiledText } from "./filedText.tsx";
import { FunderName } from "./funderName.tsx";
import { Money } from "./money.tsx";

/** The id of the table, to which a skip link leads. */
const rowsId = "rows";

/** A link for the keyboard, past charts and filters to the first grant. It moves the focus only: the address stays. */
export function SkipToRows() {
  return (
    <a
      class="skip"
      href={`#${rowsId}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(rowsId)?.focus();
      }}
    >
      Skip to the first grant
    </a>
  );
}

type Properties = {
  readonly grants: readonly Grant[];
  /** The caption, for screen readers. */
  readonly caption: string;
  readonly names: Names;
  /** The search that found them: its texts are marked in purposes and in recipients' names. */
  readonly query?: Query;
  /** Omitted because it is the same in all rows: the funder's column, or the recipient's EIN and link. */
  readonly without?: "funder" | "recipient" | undefined;
  /** True while these are the rows of an earlier search. */
  readonly isOld?: boolean;
};

/** The table of a page of grants. */
export function GrantTable({ grants, caption, names, query = {}, without, isOld = false }: Properties) {
  const hasReturns = (useStatus().found?.body.returns ?? 0) > 0;
  return (
    // The roles are written out because `display` on phones takes them away.
    <table
      id={rowsId}
      tabIndex={-1}
      class={`table grants${isOld ? " is-old" : ""}`}
      role="table"
      aria-busy={isOld}
    >
      <caption class="hidden">{caption}</caption>
      <colgroup>
        <col class="col-year" />
        <col class="col-amount" />
        <col />
        <col />
        {without === "funder" ? null : <col class="col-funder" />}
        <col class="col-type" />
      </colgroup>
      <thead>
        <tr>
          <th scope="col">Year</th>
          <th scope="col" class="is-number amount">
            Amount
          </th>
          <th scope="col">{without === "recipient" ? "Recipient, as filed" : "Recipient"}</th>
          <th scope="col">Purpose, as filed</th>
          {without === "funder" ? null : <th scope="col">Funder</th>}
          <th scope="col" class="type">
            Type
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {grants.map((grant, index) => (
          <tr
            key={grant.id}
            role="row"
            class={grants[index - 1]?.transaction_year === grant.transaction_year ? "" : "is-first-of-year"}
          >
            <td role="cell" class="year">
              {grant.transaction_year}
            </td>
            <td role="cell" class="amount is-number">
              <Money amount={grant.amount} nonCash={grant.non_cash_amount} />
            </td>
            <td role="cell" class="recipient">
              <Recipient
                grant={grant}
                found={searchedTexts(query, "recipient_name")}
                isAlike={without === "recipient"}
              />
            </td>
            <td role="cell">
              <Purpose grant={grant} found={searchedTexts(query, "purpose")} />
              {hasReturns ? <CheckFiling grant={grant} /> : null}
            </td>
            {without === "funder" ? null : (
              <td role="cell" class="funder">
                <FunderName ein={grant.funder_ein} names={names} />
              </td>
            )}
            <td role="cell" class="type">
              {grant.type}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A recipient: by EIN it has a page; without one its name leads to a search for the name. */
function Recipient({ grant, found, isAlike }: { grant: Grant; found: readonly string[]; isAlike: boolean }) {
  const { recipient_name: name, recipient_ein: ein } = grant;
  const href =
    ein === null
      ? name === null
        ? undefined
        : `/?${new URLSearchParams({ recipient_name: name })}`
      : pageHref("recipient", { ein });
  const text =
    name === null ? (
      <span class="is-missing">No recipient filed</span>
    ) : (
      <FiledText text={name} found={found} />
    );
  if (isAlike) return text;
  return (
    <>
      {href === undefined ? text : <a href={href}>{text}</a>}
      <small>{ein === null ? "No EIN filed" : `EIN ${formatEinText(ein)}`}</small>
    </>
  );
}

function Purpose({ grant, found }: { grant: Grant; found: readonly string[] }) {
  const { purpose, non_cash_description: nonCash } = grant;
  return (
    <Clamped>
      {purpose === null ? (
        <span class="is-missing">No purpose filed</span>
      ) : (
        <FiledText text={purpose} found={found} />
      )}
      {nonCash === null ? null : (
        <small>
          Non-cash: <FiledText text={nonCash} />
        </small>
      )}
    </Clamped>
  );
}
