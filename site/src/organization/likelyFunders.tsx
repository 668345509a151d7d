// Shows funders that may give to an organization for the first time: why each is listed, and how right such lists were.
import "../styles/states.css";
import { csvCell } from "../../../api-static/contract/answers/csv.ts";
import { callOf } from "../api/calls.ts";
import type { LikelyFunders as Answer } from "../api/client.ts";
import { useCall, useStatus } from "../api/useCall.ts";
import { type Names, useNames } from "../names/useNames.ts";
import { FunderName } from "../parts/organizationName.tsx";
import { Section } from "../parts/section.tsx";
import { formatCounted, formatShare } from "../text/numbers.ts";

const path = "/v1/recipients/{recipient_ein}/likely-funders";

type Listed = Answer["data"][number];

/** The section, each funder with its reasons; nothing while it is awaited, if there are none, or if the release has no such lists. */
export function LikelyFunders({ ein, basis }: { ein: string; basis: Answer["model"]["basis"] }) {
  const served = useStatus().found?.body.likely_funders.basis[basis].why_not === null;
  const list = useCall<Answer>(served ? callOf(path, { recipient_ein: ein }) : undefined).found?.body;
  const named = list?.data.flatMap(({ funder_ein, reasons }) => [funder_ein, ...viaOf(reasons)]) ?? [];
  const names = useNames(named);
  if (list === undefined || list.data.length === 0) return null;
  return (
    <Section title="Funders to look at" note={worth(list.model)}>
      <ol class="likely-funders">
        {list.data.map(({ funder_ein, reasons }) => (
          <li key={funder_ein}>
            <FunderName ein={funder_ein} names={names} />
            <ul>
              {reasons.map((reason) => (
                <li key={reason.kind}>{sayReason(reason, names)}</li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      <a class="button" href={csvHref(list.data, names)} download={`likely-funders-${ein}.csv`}>
        Download as CSV
      </a>
    </Section>
  );
}

/** How often such lists were right, in one sentence. */
export function worth({ evaluated, basis }: Answer["model"]): string {
  const { hit_at_10, recall_at_10, mrr, recipients, baselines } = evaluated;
  const best = Math.max(baselines.state ?? 0, baselines.cause ?? 0);
  const start =
    basis === "grants"
      ? "They have not given to it in this data."
      : "It has no grants in this data, so only its cause and state count.";
  return `${start} Of ${formatCounted(recipients, "recipient")} that got a new funder in the newest year, ${formatShare(hit_at_10 ?? 0)} had one among the first ten of such a list, made without that year; among the ten most frequent funders of the state or cause, ${formatShare(best)}. The first ten held ${formatShare(recall_at_10.value ?? 0)} of all new funders (recall); the mean of 1 divided by the place of the first right one was ${(mrr.value ?? 0).toFixed(2)} (MRR).`;
}

const viaOf = (reasons: Listed["reasons"]) =>
  reasons.flatMap((reason) => (reason.kind === "shared_recipients" ? [reason.funder_ein] : []));

/** The reason, with the name of a funder instead of its EIN. */
export function sayReason(reason: Listed["reasons"][number], names: Pick<Names, "nameOf">): string {
  if (reason.kind !== "shared_recipients") return reason.text;
  const name = names.nameOf(reason.funder_ein)?.name ?? `EIN ${reason.funder_ein}`;
  return `Gave to ${formatCounted(reason.recipients, "organization")} that ${name}, one of its funders, gave to.`;
}

/** The list as a CSV file, of which no spreadsheet runs a cell as a formula. */
export function csvHref(data: readonly Listed[], names: Pick<Names, "nameOf">): string {
  const rows = data.map(({ funder_ein, score, reasons }) => [
    funder_ein,
    names.nameOf(funder_ein)?.name ?? "",
    String(score),
    reasons.map((reason) => sayReason(reason, names)).join(" "),
  ]);
  const lines = [["funder_ein", "funder_name", "score", "reasons"], ...rows];
  const text = lines.map((row) => `${row.map((cell) => csvCell(cell, true)).join(",")}\r\n`).join("");
  return `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
}
