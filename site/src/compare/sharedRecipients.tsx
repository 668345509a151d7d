// Shows the recipients that two or more of the funders fund, and saves all of them as a CSV file.

import { useState } from "preact/hooks";
import { csvCell } from "../../../api-static/contract/answers/csv.ts";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { formatQuery } from "../address/query.ts";
import { sharedRecipientsCall } from "../api/calls.ts";
import type { SharedRecipients } from "../api/client.ts";
import { DataTable } from "../parts/dataTable.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { Icon } from "../parts/icon.tsx";
import { formatAmount, formatCount, formatCounted } from "../text/numbers.ts";
import { type Compared, shownAtMost } from "./compared.ts";
import { queryOf, type Years } from "./selection.ts";

/** Rows shown at first. */
const shownAtFirst = 12;

type Properties = {
  readonly shared: SharedRecipients;
  readonly compared: readonly Compared[];
  readonly years: Years;
  readonly nameOf: (ein: string) => string;
};

/** The table of shared recipients, a column for each funder; on phones a card for each recipient. */
export function SharedTable({ shared: { data, total }, compared, years, nameOf }: Properties) {
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
          <DataTable
            name="shared"
            caption="Recipients funded by two or more of these funders"
            rows={shown}
            keyOf={({ recipient_ein }) => recipient_ein}
            columns={[
              {
                head: "Recipient",
                cell: ({ recipient_ein: ein, recipient_name: name }) => (
                  <a href={`/recipient?ein=${ein}`}>
                    {name === null ? `EIN ${hyphenateEin(ein)}` : <FiledText text={name} />}
                  </a>
                ),
              },
              ...compared.map(({ ein }, index) => ({
                head: <FiledText text={nameOf(ein)} />,
                name: `is-number tone-${index + 1}`,
                cell: (row: SharedRecipients["data"][number]) => <Sum row={row} funder={ein} years={years} />,
              })),
            ]}
          />
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

type SumProperties = { row: SharedRecipients["data"][number]; funder: string; years: Years };

/** What a funder gave to a shared recipient, as a link to the grants. */
function Sum({ row: { recipient_ein, funders }, funder, years }: SumProperties) {
  const sum = funders.find(({ funder_ein }) => funder_ein === funder);
  if (sum === undefined) return <span class="is-missing">–</span>;
  return (
    <>
      <a href={`/${formatQuery({ funder_ein: funder, recipient_ein, ...queryOf(years) })}`}>
        {formatAmount(sum.amount)}
      </a>
      {sum.records === 1 ? null : <small>{formatCounted(sum.records)}</small>}
    </>
  );
}

type DownloadProperties = {
  readonly eins: readonly string[];
  readonly years: Years;
  /** The release whose table is shown; undefined while there is none to save. */
  readonly release: string | undefined;
};

/** A button that saves "shared-recipients.csv"; its place is reserved until there is something to save. */
export function SharedDownload({ eins, years, release }: DownloadProperties) {
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const save = async () => {
    setState("loading");
    const shared = await loadShared(eins, years, release);
    setState(shared === undefined ? "failed" : "idle");
    if (shared === undefined) return;
    const url = URL.createObjectURL(new Blob([formatSharedCsv(shared, eins)], { type: "text/csv" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: "shared-recipients.csv" });
    link.click();
    URL.revokeObjectURL(url);
  };
  const isReady = release !== undefined && state !== "loading";
  return (
    <>
      <button type="button" class="button" disabled={!isReady} onClick={save}>
        <Icon name="download" /> Shared recipients, CSV
      </button>
      {state === "failed" ? <p role="alert">The file could not be made. Please try again.</p> : null}
    </>
  );
}

const pageSize = 1_000;

/** All shared recipients, from one release; undefined if a call fails. */
async function loadShared(
  eins: readonly string[],
  years: Years,
  release: string | undefined,
): Promise<SharedRecipients["data"] | undefined> {
  const all: SharedRecipients["data"] = [];
  let total = 1;
  while (all.length < total) {
    const query = { ...queryOf(years), limit: pageSize, offset: all.length };
    const answer = await sharedRecipientsCall(eins, query).ask(undefined, release);
    if (!answer.isFound || answer.body.data.length === 0) return undefined;
    all.push(...answer.body.data);
    total = answer.body.total;
  }
  return all;
}

/**
 * A row per recipient, and for each funder a column of dollars and one of grants. Text that a spreadsheet would run as a
 * formula gets an apostrophe.
 */
export function formatSharedCsv(shared: SharedRecipients["data"], eins: readonly string[]): string {
  const head = [
    "recipient_ein",
    "recipient_name",
    ...eins.flatMap((ein) => [`amount_${ein}`, `grants_${ein}`]),
  ];
  const rows = shared.map(({ recipient_ein, recipient_name, funders }) => [
    recipient_ein,
    recipient_name ?? "",
    ...eins.flatMap((ein) => {
      const sum = funders.find(({ funder_ein }) => funder_ein === ein);
      return [sum?.amount.toFixed(2) ?? "", String(sum?.records ?? "")];
    }),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(formatCell).join(",")}\r\n`).join("");
}

/** Only the name is text as filed; amounts may begin with a minus sign. */
function formatCell(text: string, column: number): string {
  return csvCell(text, column === 1);
}
