// Shows how a funder gives and whether it takes applications; an organization's money by tax year, its mission, and a link to the newest return.
import type { ComponentType } from "preact";
import { callOf } from "../api/calls.ts";
import type { Organization } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { YearColumns } from "../charts/yearColumns.tsx";
import { useNames } from "../names/useNames.ts";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatAmountShort } from "../text/numbers.ts";
import { findReturnHrefs } from "../text/returns.ts";
import { Applications } from "./applications.tsx";
import { Habits } from "./habits.tsx";
import { LikelyFunders } from "./likelyFunders.tsx";
import { describeListed, moneySentence, sums, type Year } from "./moneySentences.ts";
import { Peers } from "./peers.tsx";
import type { Piece } from "./sentences.ts";
import type { Summary } from "./side.ts";

type Properties = {
  readonly ein: string;
  /** Shows a sentence; it is a part of the page already. */
  readonly Pieces: ComponentType<{ pieces: readonly Piece[] }>;
};

/**
 * How a funder gives, and what is known of the organization beside its grants: nothing while it is awaited, or if the call failed. An EIN
 * that is not listed is not asked for.
 */
export function More({ summary, ein, Pieces }: Properties & { readonly summary: Summary | undefined }) {
  const isListed = useNames([ein]).nameOf(ein) !== undefined;
  const organization = useCall(isListed ? callOf("/v1/organizations/{ein}", { ein }) : undefined).found?.body
    .data;
  const funder = summary !== undefined && "habits" in summary ? summary : undefined;
  const stated = funder && organization?.applications;
  return (
    <>
      {summary !== undefined && summary.records > 0 && (
        <Peers side={funder === undefined ? "recipient" : "funder"} ein={ein} />
      )}
      {funder && <Habits summary={funder} />}
      {summary !== undefined && funder === undefined && <LikelyFunders ein={ein} basis="grants" />}
      {stated && <Applications ein={ein} stated={stated} />}
      {organization && <Money ein={ein} organization={organization} Pieces={Pieces} />}
    </>
  );
}

/** The section; nothing if nothing is known. */
function Money({ ein, organization, Pieces }: Properties & { readonly organization: Organization }) {
  const { finances, mission } = organization;
  const listed = describeListed(organization);
  if (finances.length === 0 && listed.length === 0) return null;
  const [newest] = finances;
  return (
    <Section title="Money and mission" note={listed.length === 0 ? undefined : <Pieces pieces={listed} />}>
      {newest === undefined ? null : (
        <p class="lede">
          <Pieces pieces={moneySentence(newest)} />
        </p>
      )}
      {mission === null ? null : (
        <p class="filed">
          Its mission, as filed: <FiledText text={mission} />
        </p>
      )}
      <Charts finances={finances} />
      {newest === undefined ? null : <ReturnLink ein={ein} year={newest} />}
    </Section>
  );
}

/** A small chart for each sum that at least two years state. */
function Charts({ finances }: { finances: readonly Year[] }) {
  const charts = sums.map(({ field, title }) => ({
    title,
    columns: finances.flatMap(({ tax_year: year, [field]: value }) =>
      value === null ? [] : [{ year, value }],
    ),
  }));
  const drawn = charts.filter(({ columns }) => columns.length > 1);
  const years = finances.map(({ tax_year }) => tax_year);
  return drawn.length === 0 ? null : (
    <div class="money-charts">
      {drawn.map(({ title, columns }) => (
        <div key={title}>
          <h3>{title}</h3>
          <YearColumns
            title={`${title} by tax year`}
            valueHead={title}
            columns={columns}
            first={years.at(-1)}
            last={years[0]}
            formatValue={formatAmountShort}
            formatExact={formatAmount}
            describe={({ year, value }) => `${year}: ${formatAmount(value)}`}
            height={110}
            isSmall
          />
        </div>
      ))}
    </div>
  );
}

/** Where the newest return can be read. */
function ReturnLink({ ein, year: { tax_year, form, source } }: { ein: string; year: Year }) {
  if (source === null) return null;
  const { object_id, period } = source;
  return (
    <p class="note">
      {form === null ? "Return" : `Form ${form}`} for{" "}
      {period === null ? `the tax year ${tax_year}` : `the year to ${period}`}:{" "}
      <a href={findReturnHrefs(ein, { object_id, zip: null }).propublica} rel="noreferrer">
        on ProPublica
      </a>
    </p>
  );
}
