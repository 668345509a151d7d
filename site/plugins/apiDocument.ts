// Formats the API reference, docs/api.md and /api.md, from the content of the API guide.
import { filterNames } from "../../api-static/contract/filters/table.ts";
import type { Described, Guide, GuideOperation, GuideSection } from "../src/docs/guide.ts";
import { grantFields, rules } from "../src/docs/rules.ts";

const documentOpening = `# API reference

This page has the text of the site's API guide (\`/docs\`). Both are made from the OpenAPI document (\`/openapi.json\`), which generates
clients and mocks. See also [client code](clients.md), [stability](stability.md), and the operators' paths in [monitor.md](monitor.md).

The API is read-only and needs no key.`;

/** The opening on the site, which lacks the other documents. */
export const siteOpening = `# API reference

This page has the text of the [API guide](/docs). Both are made from the [OpenAPI document](/openapi.json): use that to generate clients,
mocks and checks. [llms.txt](/llms.txt) is an overview for agents.

The API is read-only and needs no key. Below, \`http://127.0.0.1:8080\` stands for this host.`;

/** Fields that the examples explain. */
const selfExplaining: ReadonlySet<string> = new Set([
  ...[
    "version",
    "release",
    "age_seconds",
    "sync_scheduled",
    "years",
    "sizes",
    "top_funders",
    "top_recipients",
  ],
  ...["cause", "finances", "mission", "organizations", "likely_funders", "rows", "changes", "syncs"],
  ...["nulls", "non_cash_amount", "former_names"],
]);

const filters = [...filterNames, "match"];

const host = "http://127.0.0.1:8080";

/** The text of docs/api.md, or with another opening. */
export function formatApiDocument({ sections, mistake }: Guide, opening = documentOpening): string {
  const parts = [
    opening,
    ...sections.flatMap(formatSection),
    ...rules.flatMap(({ title, text, code, items = [] }) => [
      `## ${title}`,
      ...text,
      ...(code === undefined ? [] : [fence("", code)]),
      ...(title === "Errors"
        ? [`For example, \`${mistake.request}\` answers:`, formatAnswer(mistake.answer)]
        : []),
      ...formatList(items),
    ]),
    "## Grant record",
    "Every record has these eleven fields, in this order.",
    ...formatList(grantFields),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatSection({ title, intro, operations }: GuideSection): string[] {
  return [
    `## ${title}`,
    ...intro,
    operations.map(formatPath).join("\n"),
    ...formatLabeled(
      "Parameters:",
      operations.flatMap(({ path, parameters }) => omitKnown(path, parameters)),
    ),
    ...operations.flatMap(({ path, fields }) =>
      formatLabeled(
        operations.length === 1 ? "Fields:" : `Fields of \`${path}\`:`,
        omitKnown(path, fields).filter(({ name }) => !selfExplaining.has(name)),
      ),
    ),
    ...operations.filter(hasNewForm).flatMap(({ request, answer }) => [
      fence("sh", `curl '${host}${request}'`),
      ...(/\/funders\/[^/]+\/history|\.atom/.test(request) ? [] : [formatAnswer(answer)]), // the form of a search's answers, or of Atom
    ]),
  ];
}

/** True for an operation whose example shows what no earlier operation of its section does. */
function hasNewForm(
  { parameters, fields }: GuideOperation,
  place: number,
  { length }: readonly GuideOperation[],
): boolean {
  return place === 0 || fields.length > 0 || (parameters.length > 0 && length === 2);
}

/** A line for an operation: its path, what it returns, and the parameters that earlier operations describe. */
function formatPath({ path, summary, parameters, knownParameters }: GuideOperation): string {
  const names = new Set(knownParameters.filter((name) => !isInPath(path, name)));
  const hasFilters = filters.every((name) => names.has(name) || isInPath(path, name));
  const others = [...(hasFilters ? names.difference(new Set(filters)) : names)];
  const known = [...(hasFilters ? ["every filter"] : []), ...others.map((name) => `\`${name}\``)].join(", ");
  const takes = parameters.length === 0 ? "Takes" : "Also takes";
  return `- \`${path}\`: ${summary}.${known === "" ? "" : ` ${takes} ${known}.`}`;
}

/** An answer, with short objects and lists on one line, as the API writes records, and of long lists only the first entry. */
function formatAnswer(answer: string): string {
  return /^[[{]/.test(answer) ? fence("json", shorten(answer.split("\n")).join("\n")) : fence("", answer);
}

const lineLengthMax = 220;

function shorten(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let joined = ""; // plain values share a line
  const endLine = () => {
    if (joined !== "") kept.push(joined);
    joined = "";
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const end = /[[{]$/.test(line) ? findEnd(lines, at) : at;
    const inner = lines.slice(at + 1, end);
    const compact = [line.trimStart(), ...lines.slice(at + 1, end + 1)].map(compactLine).join("");
    const isPlain = !inner.some((entry) => /[[{]$/.test(entry));
    if (at === end || (line.endsWith("{") && isPlain)) {
      if (joined.length + compact.length > lineLengthMax) endLine();
      joined = joined === "" ? `${indentOf(line)}${compact}` : `${joined}${compact}`;
    } else {
      endLine();
      if (line.endsWith("{") && compact.length <= lineLengthMax) kept.push(`${indentOf(line)}${compact}`);
      else kept.push(line, ...shorten(line.endsWith("[") ? firstEntry(inner) : inner), lines[end] ?? "");
    }
    at = end + 1;
  }
  endLine();
  return kept;
}

/** The lines of a list's first entry, and a line for the others. */
function firstEntry(lines: readonly string[]): string[] {
  const end = /[[{]$/.test(lines[0] ?? "") ? findEnd(lines, 0) : 0;
  return end + 1 < lines.length ? [...lines.slice(0, end + 1), `${indentOf(lines[0])}…`] : [...lines];
}

/** The line that closes what a line opens. */
function findEnd(lines: readonly string[], start: number): number {
  const indent = indentOf(lines[start]);
  return lines.findIndex((line, at) => at > start && indentOf(line) === indent);
}

function indentOf(line = ""): string {
  return /^ */.exec(line)?.[0] ?? "";
}

function compactLine(line: string): string {
  return line.trimStart().replace(/^("\w+"): /, "$1:");
}

function isInPath(path: string, name: string): boolean {
  return path.includes(`{${name}}`);
}

/** Parameters or fields without the EIN in the path, and without `data`, which the operation's own line describes. */
function omitKnown(path: string, items: readonly Described[]): Described[] {
  return items.filter(({ name }) => name !== "data" && !(name.endsWith("ein") && isInPath(path, name)));
}

function formatLabeled(label: string, items: readonly Described[]): string[] {
  return items.length === 0 ? [] : [label, ...formatList(items)];
}

/** A list of names with their values and meanings, or nothing if there are none. Values that the meaning or "Limits" states are omitted. */
function formatList(items: readonly Described[]): string[] {
  if (items.length === 0) return [];
  const lines = items.map(({ name, kind, description }) => {
    const value =
      kind === "" || kind.endsWith(" characters") || description.includes(kind) ? "" : ` (${kind})`;
    return `- \`${name}\`${value}: ${description}`;
  });
  return [lines.join("\n")];
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
