// Shows the sections of the Status page: last syncs, rejected rows, empty fields, this release.
import type { ComponentChildren } from "preact";
import type { Report, Status } from "../api/client.ts";
import { Bar } from "../charts/bar.tsx";
import { type Column, DataTable } from "../parts/dataTable.tsx";
import { Section } from "../parts/section.tsx";
import {
  formatAmount,
  formatCount,
  formatCounted,
  formatFineShare,
  formatMinuteOfYear,
  formatYears,
} from "../text/numbers.ts";
import { fieldNames, formatTook, rank, reasonNames, resultNames } from "./phrases.ts";

type Sync = Report["syncs"][number];

/** The last syncs, newest first; on phones each is two lines. */
export function LastSyncs({ syncs, keptReleases }: Pick<Report, "syncs"> & { keptReleases: number }) {
  return (
    <Section title="Last syncs">
      {syncs.length === 0 ? (
        <p>No sync has been recorded since this release was made.</p>
      ) : (
        <DataTable
          name="cards syncs"
          caption="Last syncs, newest first"
          isList
          rows={syncs}
          keyOf={({ started_at }) => started_at}
          columns={[
            { head: "Started, UTC", cell: ({ started_at }) => formatMinuteOfYear(started_at) },
            {
              head: "Result",
              name: "result",
              mark: ({ result }) => ({ class: `is-${result.replace("_", "-")}` }),
              cell: ({ result }) => (
                <>
                  <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                    <circle cx="5" cy="5" r="4" />
                  </svg>
                  {resultNames[result]}
                </>
              ),
            },
            countOf("Grants", ({ records }) => records),
            countOf("Rejected", ({ rejected }) => rejected),
            { head: "Took", name: "is-number", cell: ({ seconds }) => formatTook(seconds) },
          ]}
        />
      )}
      <p class="section-note">
        A sync that fails a quality check is refused, and the previous release stays live.
        {keptReleases > 1 ? (
          <>
            {" "}
            The last {formatCount(keptReleases)} releases are kept, each at{" "}
            <a href="/docs#pinned-releases">URLs of its own</a>.
          </>
        ) : null}
      </p>
    </Section>
  );
}

/** The column of a count; a dash if a sync made none. On phones its unit stands beside it. */
function countOf(head: string, read: (sync: Sync) => number | null): Column<Sync> {
  return {
    head,
    name: "is-number",
    mark: (sync) => (read(sync) === null ? { class: "is-missing" } : {}),
    cell: (sync) => {
      const count = read(sync);
      return (
        <>
          {count === null ? "–" : formatCount(count)}
          <span class="unit"> {head.toLowerCase()}</span>
        </>
      );
    },
  };
}

/** Every reason for rejecting a row, the most frequent first. */
export function RejectedRows({ rows }: Pick<Report, "rows">) {
  const reasons = rank(rows.rejected_by_reason, reasonNames);
  const most = Math.max(1, ...reasons.map(({ count }) => count));
  const share = rows.read === 0 ? 0 : rows.rejected / rows.read;
  return (
    <Section
      title="Rejected rows"
      note={`${formatCount(rows.rejected)} of ${formatCount(rows.read)} rows read, ${formatFineShare(share, 1)}`}
    >
      <DataTable
        name="bars tone-3"
        caption="Rejected rows by reason"
        rows={reasons}
        keyOf={({ name }) => name}
        columns={[
          { cell: ({ name }) => name },
          { name: "bar-place", cell: ({ count }) => (count === 0 ? null : <Bar share={count / most} />) },
          {
            name: "is-number",
            mark: ({ count }) => (count === 0 ? { class: "is-missing" } : {}),
            cell: ({ count }) => formatCount(count),
          },
        ]}
      />
    </Section>
  );
}

/** The share of grants in which each field is empty. */
export function EmptyFields({ nulls, records }: Pick<Status, "nulls" | "records">) {
  return (
    <Section title="Empty fields" note="Share of grants in which a field is empty, as filed">
      <DataTable
        name="bars tone-2"
        caption="Share of grants in which a field is empty"
        rows={rank(nulls, fieldNames)}
        keyOf={({ name }) => name}
        columns={[
          { cell: ({ name }) => name },
          { name: "bar-place", cell: ({ count }) => <Bar share={count / (records || 1)} hasTrack /> },
          { name: "is-number", cell: ({ count }) => formatFineShare(count / (records || 1), 1) },
        ]}
      />
      <p class="section-note">Most grants are paid in cash, so their non-cash fields are empty by nature.</p>
    </Section>
  );
}

/** The parts of the release, and links to more. */
export function ThisRelease({ status, report }: { status: Status; report: Report | undefined }) {
  const { release, first_year, last_year, repeated } = status;
  const since = report?.changes.since ?? null;
  return (
    <Section title="This release">
      <dl class="facts">
        <Fact name="Name">
          <code>{release}</code>
        </Fact>
        {since === null ? null : (
          <Fact name="Compared with">
            <code>{since}</code>
          </Fact>
        )}
        {report === undefined ? null : (
          <>
            <Fact name="Rows read">{formatCount(report.rows.read)}</Fact>
            <Fact name="Page files">{formatCount(report.pages.files)}, a sample verified</Fact>
          </>
        )}
        <Fact name="Years">{formatYears(first_year, last_year)}</Fact>
        <Fact name="Repeats of other filings">
          {repeated.records === 0
            ? "none"
            : `${formatCounted(repeated.records)}, ${formatAmount(Number(repeated.amount))}`}
        </Fact>
        <Fact name="Organizations with a name">
          {status.organizations === 0 ? "none" : formatCount(status.organizations)}
        </Fact>
        <Fact name="Status as JSON">
          <a href={`/r/${release}/v1/status`}>/v1/status</a>
        </Fact>
        {report === undefined ? null : (
          <Fact name="Report as JSON">
            <a href={`/r/${release}/v1/report`}>/v1/report</a>
          </Fact>
        )}
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
