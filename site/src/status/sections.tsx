// Shows the sections of the Status page: last syncs, rejected rows, empty fields, this release.
import type { ComponentChildren } from "preact";
import type { Report, Status } from "../api/client.ts";
import { Bar } from "../charts/bar.tsx";
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

/** The last syncs, newest first; on phones each is two lines. */
export function LastSyncs({ syncs, keptReleases }: Pick<Report, "syncs"> & { keptReleases: number }) {
  return (
    <Section title="Last syncs">
      {syncs.length === 0 ? (
        <p>No sync has been recorded since this release was made.</p>
      ) : (
        <table class="table syncs" role="table">
          <caption class="hidden">Last syncs, newest first</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                Started, UTC
              </th>
              <th scope="col" role="columnheader">
                Result
              </th>
              <th scope="col" role="columnheader" class="is-number">
                Grants
              </th>
              <th scope="col" role="columnheader" class="is-number">
                Rejected
              </th>
              <th scope="col" role="columnheader" class="is-number">
                Took
              </th>
            </tr>
          </thead>
          <tbody role="rowgroup">
            {syncs.map((sync) => (
              <tr key={sync.started_at} role="row">
                <td role="cell">{formatMinuteOfYear(sync.started_at)}</td>
                <td role="cell" class={`result is-${sync.result.replace("_", "-")}`}>
                  <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
                    <circle cx="5" cy="5" r="4" />
                  </svg>
                  {resultNames[sync.result]}
                </td>
                <Count count={sync.records} unit="grants" />
                <Count count={sync.rejected} unit="rejected" />
                <td role="cell" class="is-number">
                  {formatTook(sync.seconds)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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

/** A count of a sync; a dash if it made none. On phones its unit stands beside it. */
function Count({ count, unit }: { count: number | null; unit: string }) {
  return (
    <td role="cell" class={`is-number${count === null ? " is-missing" : ""}`}>
      {count === null ? "–" : formatCount(count)}
      <span class="unit"> {unit}</span>
    </td>
  );
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
      <table class="table bars tone-3">
        <caption class="hidden">Rejected rows by reason</caption>
        <tbody>
          {reasons.map(({ name, count }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="bar-place">{count === 0 ? null : <Bar share={count / most} />}</td>
              <td class={`is-number${count === 0 ? " is-missing" : ""}`}>{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** The share of grants in which each field is empty. */
export function EmptyFields({ nulls, records }: Pick<Status, "nulls" | "records">) {
  return (
    <Section title="Empty fields" note="Share of grants in which a field is empty, as filed">
      <table class="table bars tone-2">
        <caption class="hidden">Share of grants in which a field is empty</caption>
        <tbody>
          {rank(nulls, fieldNames).map(({ name, count }) => {
            const share = records === 0 ? 0 : count / records;
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="bar-place">
                  <Bar share={share} hasTrack />
                </td>
                <td class="is-number">{formatFineShare(share, 1)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
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
