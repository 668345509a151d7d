// Shows whether the data are up to date: one verdict, totals, syncs, rejected rows, empty fields, the release.
import "./status.css";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { reportCall, statusCall } from "../api/calls.ts";
import type { Failure, Report, Status } from "../api/client.ts";
import { type Progress, useCall } from "../api/useCall.ts";
import { CallBar } from "../parts/callBar.tsx";
import { FigureRow } from "../parts/figureRow.tsx";
import { Notice } from "../parts/notice.tsx";
import { Skeleton } from "../parts/waiting.tsx";
import { startPage } from "../shell/start.tsx";
import {
  formatAmountLong,
  formatClock,
  formatCount,
  formatDay,
  formatMinute,
  formatSum,
} from "../text/numbers.ts";
import { compareCount, compareFunders, formatAge, formatDuration } from "./phrases.ts";
import { EmptyFields, LastSyncs, RejectedRows, ThisRelease } from "./sections.tsx";
import { StatusFailure } from "./statusFailure.tsx";
import { useNow, useRefresh } from "./useFresh.ts";
import { judge } from "./verdict.ts";

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
          { label: "Newest filing", value: formatDay(newest_created_at), note: "latest created_at" },
        ]}
      />
      <div class="columns">
        {report === undefined ? <NoReport /> : <LastSyncs syncs={report.syncs} />}
        {report === undefined ? null : <RejectedRows rows={report.rows} />}
        <EmptyFields nulls={status.nulls} records={records} />
        <ThisRelease status={status} report={report} />
      </div>
    </>
  );
}

function NoReport() {
  return (
    <Notice title="The report isn’t available">
      <p>Syncs, changes and rejected rows are missing here; the totals are complete.</p>
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

startPage(StatusPage);
