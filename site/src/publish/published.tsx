// Answers whether a total can be published: the exact sum, what is wrong with it, the filings it is from, and its citation.
import "./published.css";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import type { KnownNames } from "../../../api-static/contract/text/searchText.ts";
import type { Query } from "../address/query.ts";
import type { Status, Totals } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import { findGaps, formatGaps } from "../charts/years.ts";
import { CopyButton } from "../parts/copy.tsx";
import { FilingOfGrant } from "../parts/filing.tsx";
import { formatCount, formatCounted, formatDay, formatFineShare, formatSum } from "../text/numbers.ts";
import { describeMarks, type Sum } from "../text/totals.ts";
import { type Checks, checkGrants, type Filing, findIncomplete } from "./checks.ts";
import { Cite } from "./cite.tsx";
import { checkedMax, type Reading, useGrants } from "./useGrants.ts";

type PublishedTotals = Pick<
  Totals,
  "records" | "amount" | "years" | "non_cash" | "individuals" | "passed_on" | "donor_advised"
>;

export type PublishedProperties = {
  /** The filters of the grants, as parameters of `/v1/history`. */
  readonly query: Query;
  readonly totals: PublishedTotals;
  /** The release of the totals. */
  readonly release: string | undefined;
  readonly known?: KnownNames;
  /** The repeats of all these grants, where the API counts them: too many to read have no others. */
  readonly repeated?: Sum | undefined;
};

/** The checks. */
export function Published({ query, totals, release, known = {}, repeated }: PublishedProperties) {
  const reading = useGrants(query, totals.records, release);
  const { found, failure } = useStatus();
  if (found === undefined)
    return <p class="note">{failure === undefined ? "Reading…" : "The checks need the API’s server."}</p>;
  const status = found.body;
  const checks = reading.state === "whole" ? checkGrants(reading.grants) : undefined;
  const repeats = checks?.repeats ?? repeated;
  const incomplete = findIncomplete(totals.years, status);
  const { records, amount, non_cash } = totals;
  return (
    <div class="published">
      <p class="verdict" role="status">
        {decide({ reading, checks, repeats, incomplete, status })}
      </p>
      <dl>
        <Check label="Exact sum">
          <Exact sum={totals} what="the exact sum" />
          {non_cash.records === 0
            ? null
            : ` Not in it: ${dollars(non_cash.amount)} non-cash in ${formatCount(non_cash.records)} of them.`}
        </Check>
        <Check label="Repeats">
          <Repeats total={{ records, amount }} repeats={repeats} reading={reading} />
        </Check>
        <Check label="Equal rows">
          {checks === undefined ? <Unread reading={reading} /> : describeEqual(checks.equal)}
        </Check>
        <Check label="Without an EIN">
          {checks === undefined ? (
            <Unread reading={reading} />
          ) : (
            describeWithoutEin(checks.withoutEin, { records, amount })
          )}
        </Check>
        <Check label="Years">{describeGivenYears(totals.years, incomplete, status, query)}</Check>
        <Counted totals={totals} />
        {checks === undefined || status.returns === 0 ? null : (
          <Check label="Filings">
            <Filings filings={checks.filings} />
          </Check>
        )}
        <Check label="Cite">
          <Cite
            sum={totals}
            {...{ query, known, checks, reading, status }}
            release={release ?? status.release}
          />
        </Check>
      </dl>
    </div>
  );
}

function Check({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function dollars(amount: number): string {
  return formatSum(amount.toFixed(2));
}

/** e.g., "3 grants ($3,000.00)". */
function counted({ records, amount }: Sum, noun = "grant"): string {
  return `${formatCounted(records, noun)} (${dollars(amount)})`;
}

/** A sum that one click copies. */
function Exact({ sum, what }: { sum: Sum; what: string }) {
  return (
    <span class="exact">
      <b>{dollars(sum.amount)}</b> in {formatCounted(sum.records)}{" "}
      <CopyButton text={() => dollars(sum.amount)} what={what} />
    </span>
  );
}

type Decided = {
  readonly reading: Reading;
  readonly checks: Checks | undefined;
  readonly repeats: Sum | undefined;
  readonly incomplete: readonly number[];
  readonly status: Status;
};

/** The answer in a sentence. */
function decide({ reading, checks, repeats, incomplete, status }: Decided): string {
  if (status.synthetic) return "No: these grants are made up.";
  if (reading.state === "reading") return `Reading ${formatCount(reading.grants.length)} grants…`;
  if (repeats !== undefined && repeats.records > 0) return "Not as it is: some of it is listed twice.";
  if (checks === undefined) return "Not every check could be made here: see below.";
  const { equal, withoutEin } = checks;
  return equal.records + withoutEin.records + incomplete.length === 0
    ? "Yes: no check found a problem. Still, compare it with the filings."
    : "Yes, with the notes below.";
}

type RepeatsProperties = {
  readonly total: Sum;
  readonly repeats: Sum | undefined;
  readonly reading: Reading;
};

/** What repeats in these grants, and the sum without it. */
function Repeats({ total, repeats, reading }: RepeatsProperties) {
  if (repeats === undefined) return <Unread reading={reading} />;
  if (repeats.records === 0) return <>No grant repeats one of another filing.</>;
  const rest = {
    records: total.records - repeats.records,
    amount: (Math.round(total.amount * 100) - Math.round(repeats.amount * 100)) / 100,
  };
  return (
    <>
      {counted(repeats)} {repeats.records === 1 ? "repeats" : "repeat"} those of another filing. Without them:{" "}
      <Exact sum={rest} what="the sum without repeats" />
    </>
  );
}

/** Why a check has no result. */
function Unread({ reading: { state, retry } }: { reading: Reading }) {
  if (state === "reading") return <span class="is-missing">Reading…</span>;
  if (state === "tooMany")
    return (
      <>
        Not checked: a page reads up to {formatCount(checkedMax)} grants. Filter them, for example by year, or
        use the <a href="/downloads">downloads</a>.
      </>
    );
  return (
    <>
      Not all grants could be read.{" "}
      <button type="button" class="link-button" onClick={retry}>
        Try again
      </button>
    </>
  );
}

function describeEqual(equal: Sum): string {
  return equal.records === 0
    ? "No row stands twice in a filing."
    : `${counted(equal, "row")} equal another row of the same filing. A funder may make equal grants: its filing tells.`;
}

function describeWithoutEin(without: Sum, all: Sum): string {
  if (without.records === 0) return "Every grant names its recipient’s EIN.";
  const share =
    all.amount > 0 ? ` and ${formatFineShare(without.amount / all.amount, 1)} of the dollars` : "";
  return `${counted(without)}, ${formatFineShare(without.records / all.records, 1)} of the grants${share}, name no EIN: sums by recipient may lack them.`;
}

/** The years that may lack grants. Gaps are named where the grants are of one organization. */
function describeGivenYears(
  years: PublishedTotals["years"],
  incomplete: readonly number[],
  { newest_created_at }: Status,
  query: Query,
): string {
  const isOfOne = query.funder_ein !== undefined || query.recipient_ein !== undefined;
  const gaps = isOfOne ? findGaps(years.map(({ transaction_year }) => transaction_year)) : [];
  const newest = `the newest grant in the data is of ${formatDay(newest_created_at)}`;
  return [
    incomplete.length === 0
      ? `The returns of these years were all due: ${newest}.`
      : `${formatGaps(incomplete)} may be incomplete: returns are due until October of the second year after, and ${newest}.`,
    gaps.length === 0
      ? ""
      : ` No grants of ${formatGaps(gaps)} in the data, which doesn’t mean that there were none.`,
  ].join("");
}

/** Sums that are no grants to one recipient, or that may be counted twice. */
function Counted({ totals: { individuals, passed_on, donor_advised } }: Pick<PublishedProperties, "totals">) {
  const text = describeMarks({ individuals, passed_on, donor_advised });
  if (text === "") return null;
  const twice = passed_on.records === 0 ? "" : " What funders pass on is counted again where they give it.";
  return (
    <Check label="To whom">
      {text}
      {twice}
    </Check>
  );
}

/** Filings shown at a time. */
const filingsAtOnce = 10;

/** The returns, each found by one of its grants. */
function Filings({ filings }: { filings: readonly Filing[] }) {
  const [shown, setShown] = useState(filingsAtOnce);
  return (
    <>
      <ul>
        {filings.slice(0, shown).map((filing) => (
          <li key={filing.id}>
            EIN {hyphenateEin(filing.funder)}, {counted(filing)}: <FilingOfGrant {...filing} />
          </li>
        ))}
      </ul>
      {filings.length <= shown ? null : (
        <button type="button" class="link-button" onClick={() => setShown(shown + filingsAtOnce)}>
          Show more of {formatCounted(filings.length, "filing")}
        </button>
      )}
    </>
  );
}
