// Shows whether the data are up to date: one verdict, totals, syncs, rejected rows, empty fields, the release.
import "./status.css";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { callOf, statusCall } from "../api/calls.ts";
import type { Failure, Report, Status } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { CallBar } from "../parts/callBar.tsx";
import { RequestId } from "../parts/failureNotice.tsx";
import { FigureRow } from "../parts/figureRow.tsx";
import { Notice } from "../parts/notice.tsx";
import { Skeleton } from "../parts/waiting.tsx";
import { startPage } from "../shell/start.tsx";
import {
  formatAmountLong,
  formatClock,
  formatCount,
  formatDay,
  formatLocalClock,
  formatMinute,
  formatSum,
} from "../text/numbers.ts";
import { LikelyRecipients } from "./likelyRecipients.tsx";
import { compareCount, compareFunders, formatAge, formatDuration } from "./phrases.ts";
import { EmptyFields, LastSyncs, RejectedRows, ThisRelease } from "./sections.tsx";
import { judge } from "./verdict.ts";

/** The report of the sync, and the last syncs. */
const reportCall = callOf("/v1/report", {});

/** The Status page. */
export function StatusPage() {
  const status = useCall(statusCall);
  const report = useCall(reportCall);
  const now = useNow();
  const refresh = useCallback(() => {
    status.retry();
    report.retry();
  }, [status.retry, report.retry]);
  useRefresh(status.found?.receivedAt, now, refresh);
  const failure = useLasting(status);
  const isReportSettled = report.found !== undefined || report.failure !== undefined;
  const found = status.found;

  useEffect(() => {
    if (found === undefined) return;
    const { label } = judge(found.body, report.found?.body.syncs ?? [], serverTime(found, new Date()));
    document.title = `${label} – Status – Grant History`;
  }, [found, report.found]);

  if (found === undefined || !isReportSettled) {
    return (
      <div class="wide page status">
        {failure === undefined ? (
          <>
            <h1 class="hidden">Status of the data</h1>
            {status.state === "waiting" || status.state === "slow" ? <Skeleton /> : null}
          </>
        ) : (
          <StatusFailure failure={failure} seenAt={undefined} retry={refresh} />
        )}
      </div>
    );
  }
  return (
    <div class="wide page status">
      {failure === undefined ? null : (
        <StatusFailure failure={failure} seenAt={found.receivedAt} retry={refresh} />
      )}
      <Found status={found.body} report={report.found?.body} now={serverTime(found, now)} />
      <CallBar
        calls={[
          { href: statusCall.href, use: "release, age, totals" },
          { href: reportCall.href, use: "changes, syncs, rejected rows" },
        ]}
        release={found.body.release}
      />
    </div>
  );
}

type Properties = { readonly status: Status; readonly report: Report | undefined; readonly now: Date };

function Found({ status, report, now }: Properties) {
  const { release, synced_at, next_sync, sync_scheduled, records, funders, amount, newest_created_at } =
    status;
  const verdict = judge(status, report?.syncs ?? [], now);
  const age = (now.getTime() - Date.parse(synced_at)) / 1000;
  const untilNext = (Date.parse(next_sync) - now.getTime()) / 1000;
  return (
    <>
      <p class={`verdict is-${verdict.name}`}>
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="5" />
        </svg>
        {verdict.label}
      </p>
      <h1>Synced {formatAge(age)} ago</h1>
      <p class="lede">
        {verdict.reason === undefined ? null : `${verdict.reason} `}
        Release <span class="release-id">{release}</span> holds every grant the warehouse delivered by{" "}
        {formatMinute(synced_at)} UTC.
        {sync_scheduled
          ? ` The next sync starts at ${formatClock(next_sync)} UTC${untilNext > 0 ? `, in ${formatDuration(untilNext)}` : ""}.`
          : ""}
      </p>
      <FigureRow
        figures={[
          {
            label: "Grants",
            value: formatCount(records),
            note: report
              ? compareCount(report.changes.records_difference, report.changes.since)
              : "in this release",
          },
          {
            label: "Funders",
            value: formatCount(funders),
            note: report ? compareFunders(report.changes) : "in this release",
          },
          {
            label: "Sum of amounts",
            value: formatAmountLong(Number(amount)),
            note: `exactly ${formatSum(amount)}`,
          },
          { label: "Newest filing", value: formatDay(newest_created_at), note: "date of the newest record" },
        ]}
      />
      <div class="columns">
        {report === undefined ? (
          <NoReport />
        ) : (
          <LastSyncs syncs={report.syncs} keptReleases={status.releases_kept} />
        )}
        {report === undefined ? null : <RejectedRows rows={report.rows} />}
        <EmptyFields nulls={status.nulls} records={records} />
        <ThisRelease status={status} report={report} />
      </div>
      <LikelyRecipients facts={status.matches} />
    </>
  );
}

function NoReport() {
  return (
    <Notice title="The report isn’t available">
      Syncs, changes and rejected rows are missing here; the totals are complete.
    </Notice>
  );
}

/** The server's time: a reader's clock may be wrong. */
function serverTime({ body, receivedAt }: NonNullable<Progress<Status>["found"]>, now: Date): Date {
  const asked = Date.parse(body.synced_at) + body.age_seconds * 1000;
  return new Date(asked + Math.max(0, now.getTime() - receivedAt.getTime()));
}

/** The failure of a call, kept while the call is repeated, so that its notice doesn't flicker. */
function useLasting({ state, failure }: Progress<unknown>): Failure | undefined {
  const last = useRef<Failure>(undefined);
  if (failure !== undefined || state === "found") last.current = failure;
  return last.current;
}

type FailureProperties = {
  readonly failure: Failure;
  /** When the numbers still shown were received; undefined if there are none. */
  readonly seenAt: Date | undefined;
  readonly retry: () => void;
};

/** The page before the first release, or a notice; it has the page's heading if no numbers are shown. */
function StatusFailure(properties: FailureProperties) {
  if (properties.failure.code === "not_ready") return <NotReady />;
  return (
    <>
      {properties.seenAt === undefined ? <h1>Status of the data</h1> : null}
      <Why {...properties} />
    </>
  );
}

function NotReady() {
  return (
    <div role="status">
      <p class="verdict is-not-ready">
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="4" />
        </svg>
        Not ready
      </p>
      <h1>The first release is being made</h1>
      <p class="lede">Grants appear when the first sync is done. This page looks again every 30 seconds.</p>
    </div>
  );
}

function Why({ failure, seenAt, retry }: FailureProperties) {
  const old = seenAt === undefined ? "" : `These are the numbers from ${formatLocalClock(seenAt)}. `;
  switch (failure.code) {
    case "offline":
      return (
        <Notice title="You’re offline" onButton={retry}>
          {old}The status will be looked up when you’re connected again.
        </Notice>
      );
    case "unreachable":
      return (
        <Notice title="The server doesn’t answer" onButton={retry}>
          {old}It may be restarting.
        </Notice>
      );
    case "static_host":
      return (
        <Notice title="This is a static copy">
          It holds the pages of every funder, but not its age or how the last syncs ended: those need the
          API’s server. The <a href="/docs">API guide</a> works here.
        </Notice>
      );
    default:
      return (
        <Notice title="Something went wrong on our side" tone="error" onButton={retry}>
          {old}The status can’t be read right now.
          <RequestId of={failure} />
        </Notice>
      );
  }
}

/** Milliseconds between two readings of the clock. */
const tick = 15_000;

/** The time; the component renders again every 15 seconds. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), tick);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Milliseconds after which a call is repeated, if the page is visible. */
const staleAfter = 5 * 60_000;

/** Calls `refresh` when the answer is five minutes old and the page is visible, and when the network is back. */
function useRefresh(receivedAt: Date | undefined, now: Date, refresh: () => void): void {
  const isStale = receivedAt !== undefined && now.getTime() - receivedAt.getTime() > staleAfter;
  useEffect(() => {
    if (isStale && document.visibilityState === "visible") refresh();
  }, [isStale, now, refresh]);
  useEffect(() => {
    addEventListener("online", refresh);
    return () => removeEventListener("online", refresh);
  }, [refresh]);
}

startPage(StatusPage);
