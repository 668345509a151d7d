// Shows the home page: the size of the data, searches to try, grants by year, and gaps in the data.
import type { HistoryPage, Status } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { YearColumns } from "../charts/yearColumns.tsx";
import { groupsHref } from "../groups/group.ts";
import type { Names } from "../names/useNames.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { FigureRow } from "../parts/figureRow.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmountLong, formatCount, formatCounted, formatShare, formatYears } from "../text/numbers.ts";
import { chooseTries } from "./tries.ts";

/** The heading above the box. The place of the counts is reserved, so that nothing moves. */
export function HomeHeading({ status: { found, failure } }: { status: Progress<Status> }) {
  const counts =
    found === undefined
      ? "200,000 of them, from 2,000 funders"
      : `${formatCount(found.body.records)} of them, from ${formatCounted(found.body.funders, "funder")}`;
  return (
    <>
      <h1 id="result" tabIndex={-1}>
        Who gave what to whom, and what for
      </h1>
      <p class="lede">
        Grants that US nonprofits list in their annual tax filings
        {failure === undefined || found !== undefined ? (
          <span class={found === undefined ? "is-awaited" : ""}>: {counts}</span>
        ) : null}
        , as filed.
      </p>
    </>
  );
}

type Properties = {
  readonly status: Progress<Status>;
  /** The newest grants, from which the searches to try are made. */
  readonly newest: Progress<HistoryPage>;
  readonly names: Names;
};

/** The content below the box. */
export function Home({ status, newest, names }: Properties) {
  const tries = chooseTries(newest.found?.body.data ?? [], names);
  const isAwaited = newest.state !== "found" && newest.state !== "failed";
  return (
    <>
      <ul class={`tries${isAwaited ? " is-awaited" : ""}`}>
        {tries.length > 0 ? <li>Try</li> : null}
        {tries.map(({ href, text }) => (
          <li key={href}>
            <a class="chip" href={href}>
              <FiledText text={text} />
            </a>
          </li>
        ))}
      </ul>
      <div class={status.found === undefined && status.failure === undefined ? "is-awaited" : ""}>
        <FigureRow figures={figuresOf(status)} />
      </div>
      <div class="columns">
        <GrantsByYear status={status} />
        <Absent />
      </div>
    </>
  );
}

/** As long as the usual numbers, whose place they reserve. */
const awaitedFigures = [
  { label: "Grants", value: "200,000", note: "from 2009 to 2024" },
  { label: "Amount", value: "$53.1 billion", note: "plus $67.1 million non-cash" },
  { label: "Funders", value: "2,000", note: "each with its own page" },
  { label: "Recipients with an EIN", value: "16,000", note: "65% of grants name none" },
];

function figuresOf({ found, failure }: Progress<Status>) {
  if (found === undefined) {
    const isAwaited = failure === undefined;
    return awaitedFigures.map((figure) =>
      isAwaited ? figure : { ...figure, value: "–", note: "not known" },
    );
  }
  const { records, amount, non_cash_amount, funders, recipients, nulls, first_year, last_year } = found.body;
  const hasYears = first_year !== null && last_year !== null;
  return [
    {
      label: "Grants",
      value: formatCount(records),
      note: hasYears
        ? `${first_year === last_year ? "of" : "from"} ${formatYears(first_year, last_year)}`
        : "\u00A0",
      href: "/downloads",
    },
    {
      label: "Amount",
      value: formatAmountLong(Number(amount)),
      note: `plus ${formatAmountLong(Number(non_cash_amount))} non-cash`,
    },
    {
      label: "Funders",
      value: formatCount(funders),
      note: "each with its own page",
      href: groupsHref("funder", {}),
    },
    {
      label: "Recipients with an EIN",
      value: formatCount(recipients),
      note: `${formatShare(records === 0 ? 0 : nulls.recipient_ein / records)} of grants name none`,
    },
  ];
}

/** The chart, or the reason that it cannot be drawn. Its place is reserved, so that nothing moves. */
function GrantsByYear({ status }: { status: Progress<Status> }) {
  const years = status.found?.body.years;
  if (years?.length === 0) return null;
  const columns = (years ?? []).map(({ transaction_year: year, records: value }) => ({ year, value }));
  const known = new Set(columns.map(({ year }) => year));
  const [first, last] = [Math.min(...known), Math.max(...known)];
  const hasGap = last - first + 1 > known.size;
  return (
    <Section title="Grants by year" note="Number of grants. Recent years fill up as filings arrive.">
      <div class="home-chart">
        <FailureNotice progress={status} />
        {columns.length === 0 ? null : (
          <YearColumns
            columns={columns}
            formatValue={formatCount}
            describe={({ year, value }) => `${year}: ${formatCounted(value)}`}
            hrefOf={(year) => `/?transaction_year=${year}`}
            title="Grants by year"
          />
        )}
      </div>
      {hasGap ? <p class="note">Hatched: no grants of that year in this release.</p> : null}
    </Section>
  );
}

function Absent() {
  return (
    <Section title="What you won’t find here">
      <ul class="absent">
        <li>
          <b>Small grants of public charities.</b> Form 990 lists recipients of more than $5,000 in a year.
        </li>
        <li>
          <b>Grants still on their way.</b> Filings arrive 12 to 24 months after the year they report.
        </li>
        <li>
          <b>Every recipient’s EIN.</b> The IRS gives each organization this number of nine digits. Grants
          filed without it are found by the recipient’s name.
        </li>
        <li>
          <b>Who advised the gift.</b> A donor-advised fund’s grants appear under its sponsor.
        </li>
        <li>
          <b>Applications and deadlines.</b> This is a record of what was given.
        </li>
      </ul>
    </Section>
  );
}
