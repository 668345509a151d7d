// Formats a report for the terminal: aligned columns, bars, and no more text than a person reads.
import {
  bases,
  type Evaluation,
  type LikelyFundersFacts,
} from "../../api-static/contract/answers/likelyFunders.ts";
import { nullableFields } from "../../api-static/contract/answers/record.ts";
import { formatCount, formatSeconds } from "../base/progress.ts";
import { type Cell, escapeControls, formatShare, formatTable } from "../base/table.ts";
import { formatMatches } from "./matches.ts";
import type { Report } from "./report.ts";

/** A report's release is current, refused, or kept without being current. */
export type ReleaseState = "current" | "refused" | "kept";

export type PageSettings = {
  readonly state: ReleaseState;
  /** Whether headings are bold, with a terminal's escape codes. */
  readonly isBold: boolean;
  /** Bytes of the release by part; undefined if it was refused before it was built, or its manifest is damaged. */
  readonly sizes?: Readonly<Record<string, number>> | undefined;
};

type Section = [heading: string, lines: string[]];

const barWidth = 30;
const indent = "  ";

/** The whole page, without a line break at the end. */
export function formatReport(report: Report, settings: PageSettings): string {
  const { state, isBold, sizes } = settings;
  const sections: Section[] = [
    ["Rows", formatRows(report)],
    ["Rejected rows", report.rows.rejected > 0 ? formatRejects(report) : []],
    ...Object.entries(grantTables).map(
      ([heading, rowsOf]): Section => [heading, formatTable(rowsOf(report))],
    ),
    ["Likely recipients", report.matches === null ? [] : formatMatches(report.matches)],
    ["Likely funders", report.likely_funders === null ? [] : formatLikelyFunders(report.likely_funders)],
    [formatSince(report), formatChanges(report)],
    ["Steps", formatSteps(report)],
    ["Size", sizes === undefined ? [] : formatSizes(sizes)],
  ];
  const head: Section = [`Release ${report.release} (${states[state]})`, formatGate(report)];
  return [head, ...sections.filter(([, lines]) => lines.length > 0)]
    .map(([heading, lines]) =>
      [isBold ? `\u001B[1m${heading}\u001B[22m` : heading, ...lines.map((line) => indent + line)].join("\n"),
    )
    .join("\n\n");
}

const states: Readonly<Record<ReleaseState, string>> = {
  current: "current",
  refused: "refused, not served",
  kept: "kept, not current",
};

function formatGate({ gate_failures }: Report): string[] {
  return gate_failures.map(
    ({ rule, message, is_accepted }) => `${is_accepted ? "accepted" : "refused"}: ${rule}: ${message}`,
  );
}

function formatRows({ rows, unknown_columns }: Report): string[] {
  const share = (count: number) => formatShare(count / rows.read);
  const invalid = rows.recipient_ein_invalid;
  const lines = formatTable([
    ["read", rows.read, ""],
    ["accepted", rows.accepted, share(rows.accepted)],
    ["rejected", rows.rejected, share(rows.rejected)],
    ["accepted, invalid recipient EIN set to null", invalid, share(invalid)],
  ]);
  const unknown = unknown_columns.map(formatText).join(", ");
  return unknown === "" ? lines : [...lines, `ignored columns: ${unknown}`];
}

function formatRejects({ rows }: Report): string[] {
  const reasons = Object.entries(rows.rejected_by_reason).filter(([, count]) => count > 0);
  const heads = formatTable(
    reasons.map(([reason, count]) => [reason, count, formatShare(count / rows.read)]),
  );
  return reasons.flatMap(([reason], index) => {
    const examples = rows.rejected_examples[reason as keyof typeof rows.rejected_examples];
    return [heads[index] ?? "", ...examples.map((example) => indent + formatExample(example))];
  });
}

function formatExample(example: Report["rows"]["rejected_examples"]["id_missing"][number]): string {
  const { source_file, source_row, id, values } = example;
  const named = Object.entries(values).filter(([name]) => name !== "id");
  return [
    `${escapeControls(source_file)} row ${source_row === null ? "unknown" : formatCount(source_row)}:`,
    [["id", id] as const, ...named].map(([name, value]) => `${name} ${formatText(value)}`).join(", "),
  ].join(" ");
}

/** The tables about the grants of a release by heading. A table without rows is left out. */
const grantTables: Readonly<Record<string, (report: Report) => Cell[][]>> = {
  Grants: ({ totals, pages, searches, names, rows }) => [
    ["grants", rows.accepted, ""],
    ["funders", totals.funders, ""],
    ["recipients with an EIN", totals.recipients, ""],
    ["amount", formatDecimal(totals.amount), ""],
    ["non-cash amount", formatDecimal(totals.non_cash_amount), ""],
    ["newest created_at", totals.newest_created_at, ""],
    ["page files", pages.files, `${formatBytes(pages.stored_bytes)}, ${formatCount(pages.linked)} linked`],
    [
      "for searches",
      searches.files,
      `${formatBytes(searches.stored_bytes)}, ${formatCount(searches.searches)} searches, ${formatCount(searches.learned)} learned`,
    ],
    [
      "for names",
      names.files,
      `${formatBytes(names.stored_bytes)}, ${formatCount(names.funders)} funders named by ${formatCount(names.organizations)} organizations`,
    ],
  ],
  Nulls: ({ totals, null_shares }) =>
    nullableFields.map((name) => {
      const share = null_shares[name];
      return [name, totals.nulls[name], formatShare(share), { left: formatBar(share) }];
    }),
  "Grants by year": ({ years }) => {
    const most = Math.max(...years.map(({ records }) => records));
    const rows = years.map(({ year, records, amount }): Cell[] => {
      return [String(year), records, formatDecimal(amount), { left: formatBar(records / most) }];
    });
    return [["year", "grants", "amount", ""], ...rows];
  },
  "Largest funders": ({ largest_funders, totals }) => [
    ["EIN", "grants", "amount", "share of grants"],
    ...largest_funders.map(({ funder_ein: ein, records, amount }) => {
      return [ein, records, formatDecimal(amount), formatShare(records / totals.records)];
    }),
  ],
  "Grants in more than one filing": ({ repeated }) => {
    if (repeated.records === 0) return [];
    return [
      ["EIN", "year", "filings", "repeated grants", "amount"],
      ...repeated.largest.map(({ funder_ein, transaction_year, filings, records, amount }) => {
        return [funder_ein, String(transaction_year), filings, records, formatDecimal(amount)];
      }),
      ["all", "", "", repeated.records, formatDecimal(repeated.amount)],
    ];
  },
};

function formatSince({ changes }: Report): string {
  return changes.since === null
    ? "Changes: there is no previous release to compare with"
    : `Changes since release ${changes.since}`;
}

function formatChanges({ changes }: Report): string[] {
  const funders = [
    ["funders added", changes.funders_added],
    ["funders changed", changes.funders_changed],
    ["funders removed", changes.funders_removed],
    ["funders unchanged", changes.funders_same],
  ] as const;
  return formatTable([
    ...funders.flatMap(([name, count]) => (count === null ? [] : [[name, count]])),
    ["grants", formatSigned(String(changes.records_difference))],
    ["amount", formatSigned(changes.amount_difference)],
  ]);
}

function formatSteps({ steps, seconds, peak_memory_bytes }: Report): string[] {
  return formatTable([
    ["step", "units", "", "time", "peak memory"],
    ...steps.map(({ name, total, unit, ...cost }) => {
      return [name, total, { left: unit }, formatSeconds(cost.seconds), formatBytes(cost.peak_memory_bytes)];
    }),
    ["total", "", "", formatSeconds(seconds), formatBytes(peak_memory_bytes)],
  ]);
}

function formatSizes(sizes: Readonly<Record<string, number>>): string[] {
  const total = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  return formatTable(
    [...Object.entries(sizes), ["total", total] as const].map(([part, bytes]) => [part, formatBytes(bytes)]),
  );
}

/** Any share above zero shows as at least one block. */
function formatBar(share: number): string {
  return "█".repeat(share > 0 ? Math.max(1, Math.round(share * barWidth)) : 0);
}

/** e.g., 93962839 → "94.0 MB". */
function formatBytes(bytes: number): string {
  if (bytes === 0) return "0";
  const unit =
    bytes >= 1e9 ? ([1e9, "GB"] as const) : bytes >= 1e6 ? ([1e6, "MB"] as const) : ([1e3, "kB"] as const);
  return `${(bytes / unit[0]).toFixed(1)} ${unit[1]}`;
}

/** e.g., "1234567.80" → "1,234,567.80"; the text stays exact. */
function formatDecimal(amount: string): string {
  return amount.replace(/\d(?=(?:\d{3})+(?:\.|$))/g, "$&,");
}

function formatSigned(amount: string): string {
  return /^-|^[0.]+$/.test(amount) ? formatDecimal(amount) : `+${formatDecimal(amount)}`;
}

/** A value from the warehouse, quoted, or null. */
function formatText(value: string | null): string {
  return value === null ? "null" : escapeControls(JSON.stringify(value));
}

/** The pairs, how right lists were on the hidden filings beside the two baselines, and why some are not served. */
function formatLikelyFunders({ hidden_after, pairs, basis }: LikelyFundersFacts): string[] {
  const share = (value: number | null) => (value === null ? "" : formatShare(value));
  const interval = ({ value, low, high }: Evaluation["mrr"]) =>
    value === null ? "" : `${share(value)} (${share(low)} to ${share(high)})`;
  const rows = bases.map((name) => {
    const { evaluated, why_not } = basis[name];
    const { hit_at_10: value, low, high, recall_at_10, mrr, recipients } = evaluated;
    const shares = [{ value, low, high }, recall_at_10, mrr].map(interval);
    return [name, { left: why_not === null ? "yes" : "no" }, recipients, ...shares];
  });
  const { state, cause } = basis.grants.evaluated.baselines;
  return [
    `pairs of a funder and a recipient: ${pairs.filed.toLocaleString("en-US")} filed, ${pairs.likely.toLocaleString("en-US")} likely`,
    ...(hidden_after === null ? [] : [`filings after ${hidden_after} were hidden`]),
    ...formatTable([["basis", { left: "served" }, "recipients", "hit@10", "recall@10", "MRR"], ...rows]),
    `hit@10 of the most frequent funders: ${share(state) || "none"} by state, ${share(cause) || "none"} by cause`,
    ...bases.flatMap((name) => (basis[name].why_not === null ? [] : [`${name}: ${basis[name].why_not}`])),
  ];
}
