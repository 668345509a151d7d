// Shows grants as a table; on phones as cards.

import type { ComponentChild, ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { searchedTexts } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, type Query, searchable } from "../address/query.ts";
import { pageHref } from "../api/calls.ts";
import type { Grant } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import type { Names } from "../names/useNames.ts";
import { formatAmount } from "../text/numbers.ts";
import { type Column, DataTable } from "./dataTable.tsx";
import { markEqual } from "./equalRows.ts";
import { FiledText } from "./filedText.tsx";
import { FunderName } from "./organizationName.tsx";
import { useLoaded } from "./useLoaded.ts";

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
  /** The marks of likely grants among a recipient's, by id; undefined if all are as filed. */
  readonly marks?: ReadonlyMap<number, ComponentChild> | undefined;
  /** True while these are the rows of an earlier search. */
  readonly isOld?: boolean;
};

/** The table of a page of grants. */
export function GrantTable({
  grants,
  caption,
  names,
  query = {},
  without,
  marks,
  isOld = false,
}: Properties) {
  const equal = markEqual(grants);
  const hasReturns = (useStatus().found?.body.returns ?? 0) > 0;
  const columns: Column<Grant>[] = [
    { head: "Year", name: "year", cell: (grant) => grant.transaction_year },
    {
      head: "Amount",
      name: "amount is-number",
      cell: (grant) => <Money amount={grant.amount} nonCash={grant.non_cash_amount} />,
    },
    {
      head: without === "recipient" ? "Recipient, as filed" : "Recipient",
      name: "recipient",
      cell: (grant) => (
        <>
          <Recipient
            grant={grant}
            found={searchedTexts(query, "recipient_name")}
            isAlike={without === "recipient"}
          />
          {marks?.get(grant.id)}
        </>
      ),
    },
    {
      head: "Purpose, as filed",
      cell: (grant) => (
        <>
          <Purpose grant={grant} found={searchedTexts(query, "purpose")} />
          {equal.has(grant.id) ? <small class="equal-row">{equal.get(grant.id)}</small> : null}
          {hasReturns ? <CheckFiling grant={grant} /> : null}
        </>
      ),
    },
    {
      head: "Funder",
      name: "funder",
      cell: (grant) => <FunderName ein={grant.funder_ein} names={names} />,
    },
    { head: "Type", name: "type", cell: (grant) => grant.type },
  ];
  return (
    <DataTable
      id={rowsId}
      tabIndex={-1}
      name={`cards grants${isOld ? " is-old" : ""}`}
      aria-busy={isOld}
      caption={caption}
      isList
      columns={columns.filter(({ name }) => name !== "funder" || without !== "funder")}
      rows={grants}
      keyOf={({ id }) => id}
      rowName={({ id, transaction_year }, index) =>
        [
          grants[index - 1]?.transaction_year === transaction_year ? "" : "is-first-of-year",
          marks?.has(id) ? "is-likely" : "",
        ].join(" ")
      }
    />
  );
}

/** A recipient: by EIN it has a page; without one its name leads to a search for the name. */
function Recipient({ grant, found, isAlike }: { grant: Grant; found: readonly string[]; isAlike: boolean }) {
  const { recipient_name: name, recipient_ein: ein, type } = grant;
  const search = name === null ? undefined : `/${formatQuery({ recipient_name: searchable(name) })}`;
  const href = ein === null ? search : pageHref("recipient", { ein });
  const text =
    name === null ? (
      <span class="is-missing">
        {type?.toLowerCase() === "schedule i individuals" ? "Individuals (a total)" : "No recipient filed"}
      </span>
    ) : (
      <FiledText text={name} found={found} />
    );
  if (isAlike) return text;
  return (
    <>
      {href === undefined ? text : <a href={href}>{text}</a>}
      <small>{ein === null ? "No EIN filed" : `EIN ${hyphenateEin(ein)}`}</small>
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

/** A grant's amount. */
function Money({ amount, nonCash }: { amount: number; nonCash: number | null }) {
  return (
    <>
      <b>{formatAmount(amount)}</b>
      {nonCash === null || nonCash === 0 ? null : <small>+ {formatAmount(nonCash)} non-cash</small>}
    </>
  );
}

/** Its children in two lines, and "more" if they need a third. */
function Clamped({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setIsCut] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    if (!isOpen) setIsCut(scrollHeight > clientHeight + 1);
  }, [children, isOpen]);
  return (
    <div class={isCut && !isOpen ? "is-cut" : ""}>
      <div ref={box} class={isOpen ? "" : "clamped"}>
        {children}
      </div>
      {isCut ? (
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "less" : "more"}
        </button>
      ) : null}
    </div>
  );
}

/** A button that asks for the grant's return, and then the links to it. */
function CheckFiling({ grant: { id, funder_ein } }: { grant: Grant }) {
  const [isAsked, setIsAsked] = useState(false);
  const part = useLoaded(isAsked, () => import("./filing.tsx"));
  if (part !== undefined) return <part.FilingOfGrant id={id} funder={funder_ein} />;
  return (
    <button
      type="button"
      class="link-button check-filing"
      aria-busy={isAsked}
      onClick={() => setIsAsked(true)}
    >
      Check the filing
    </button>
  );
}
