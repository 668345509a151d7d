// Formats the report of an import for people.
import { formatCount } from "../base/progress.ts";
import type { ImportReport } from "./report.ts";

/** Unreadable returns on the page; `report.json` and `returns.parquet` have more. */
const maxUnreadable = 20;
const maxNameLength = 40;

type Cell = string | number | null;

/** The report as text: files, returns that count, and sums compared with the totals that the returns state. */
export function formatImportReport(report: ImportReport): string {
  const { rows } = report;
  const unreadable = report.byStatus
    .filter(({ status }) => status === "unreadable")
    .reduce((sum, { returns }) => sum + returns, 0);
  const sections: [title: string, lines: string[]][] = [
    [
      `Import: ${formatCount(report.returns)} returns in ${formatSources(report.sources.length)}, ${formatCount(report.grants)} grants, ${formatCount(report.organizations)} organizations, finances of ${formatCount(report.finances)} years`,
      [],
    ],
    ["What became of the returns", table(report.byStatus.map(({ status, returns }) => [status, returns]))],
    [
      "Readable returns by form and tax year (read, counting)",
      table(
        report.byFormAndYear.map(({ form, year, returns, counting }) => [
          form,
          String(year),
          returns,
          counting,
        ]),
      ),
    ],
    [
      "Grants by tax year (returns, grants, dollars)",
      table(
        report.byYear.map(({ year, returns, grants, dollars }) => [
          String(year),
          returns,
          grants,
          formatDollars(dollars),
        ]),
      ),
    ],
    [
      "Sum of the grants against the return's own total. Form 990 need not list grants up to $5,000: there, below is usual",
      table(report.byComparison.map(({ form, comparison, returns }) => [form, comparison, returns])),
    ],
    [
      "Rows of grant tables",
      table([
        ["sums for individuals, loaded", report.individualGrants],
        ["foreign grants (Schedule F), loaded", report.foreignGrants],
        ["placeholders such as SEE ATTACHED, loaded", rows.placeholders],
        ["approved for future payment, not loaded", rows.future],
        ["empty, not loaded", rows.empty],
      ]),
    ],
    [
      "Returns with oddities that were read",
      table(report.oddities.map(({ oddity, returns }) => [oddity, returns])),
    ],
    [
      "Returns with a value that could not be read",
      report.lossy.length === 0
        ? ["  none"]
        : report.lossy.map(
            ({ source, file, ein, oddities }) => `  ${source}: ${file}: EIN ${ein}: ${oddities.join(", ")}`,
          ),
    ],
    [
      `The ${report.differences.length} largest differences (sum, stated)`,
      table(
        report.differences.map(({ ein, name, form, year, sum, stated }) => [
          ein,
          (name ?? "").slice(0, maxNameLength),
          form,
          String(year),
          formatDollars(sum),
          formatDollars(stated),
        ]),
      ),
    ],
    ["Why returns are unreadable", table(report.problems.map(({ problem, returns }) => [returns, problem]))],
    [`Unreadable (${formatCount(unreadable)} not found elsewhere)`, listUnreadable(report.unreadable)],
  ];
  return sections
    .map(([title, lines]) => [title, ...(lines.length > 0 ? lines : [])].join("\n"))
    .join("\n\n");
}

const formatSources = (count: number) => (count === 1 ? "1 source" : `${formatCount(count)} sources`);

function listUnreadable(unreadable: ImportReport["unreadable"]): string[] {
  if (unreadable.length === 0) return ["  none"];
  const lines = unreadable.map(({ source, file, problem }) => `  ${source}: ${file}: ${problem}`);
  return lines.length > maxUnreadable
    ? [...lines.slice(0, maxUnreadable), "  …; returns.parquet has all"]
    : lines;
}

/** Aligned columns: numbers to the right. `none` if there are no rows. */
function table(rows: readonly (readonly Cell[])[]): string[] {
  if (rows.length === 0) return ["  none"];
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? formatCount(cell) : (cell ?? ""))),
  );
  const widths = texts.reduce<number[]>(
    (max, row) => row.map((text, at) => Math.max(max[at] ?? 0, text.length)),
    [],
  );
  return texts.map((row, line) => {
    const cells = row.map((text, at) => {
      const isRight = typeof rows[line]?.[at] === "number" || text.startsWith("$") || text.startsWith("-$");
      return isRight ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
    });
    return `  ${cells.join("  ").trimEnd()}`;
  });
}

/** e.g., "1234567.00" → "$1,234,567". */
function formatDollars(amount: string): string {
  const dollars = BigInt(amount.split(".")[0] || "0");
  return `${amount.startsWith("-") ? "-" : ""}$${(dollars < 0n ? -dollars : dollars).toLocaleString("en-US")}`;
}
