// Formats the API reference, docs/api.md and /api.md, from the content of the API guide.
import { filterNames } from "../../api-static/contract/filters/table.ts";
import type { Described, Guide, GuideOperation, GuideSection } from "../src/docs/guide.ts";
import { grantFields, rules } from "../src/docs/rules.ts";

const documentOpening = `# API reference

This page has the text of the site's API guide (\`/docs\`). Both are made from the OpenAPI document, which is at \`/openapi.json\`:
use that to generate clients, mocks and checks. Client code is in [clients.md](clients.md), the promise about changes in
[stability.md](stability.md), the operators' paths (\`/healthz\`, \`/readyz\`, metrics) in [monitor.md](monitor.md).

The API is read-only and needs no key. Below, \`http://127.0.0.1:8080\` stands for your host.`;

/** The opening on the site, which lacks the other documents. */
export const siteOpening = `# API reference

This page has the text of the [API guide](/docs). Both are made from the [OpenAPI document](/openapi.json): use that to generate clients,
mocks and checks. [llms.txt](/llms.txt) is an overview for agents.

The API is read-only and needs no key. Below, \`http://127.0.0.1:8080\` stands for this host.`;

const filters = [...filterNames, "match"];

const host = "http://127.0.0.1:8080";

/** The text of docs/api.md, or with another opening. */
export function formatApiDocument({ sections, mistake }: Guide, opening = documentOpening): string {
  const operations = sections.flatMap((section) => section.operations);
  const parts = [
    opening,
    "## Operations",
    formatTable(
      ["Path", "Returns"],
      operations.map(({ path, summary }) => [`\`${path}\``, summary]),
    ),
    "Any of these paths also answers from one fixed release: see [Pinned releases](#pinned-releases).",
    ...sections.flatMap(formatSection),
    ...rules.flatMap(({ title, text, code, items = [] }) => [
      `## ${title}`,
      ...text,
      ...(code === undefined ? [] : [fence("", code)]),
      ...(title === "Errors"
        ? [`For example, \`${mistake.request}\` answers:`, formatAnswer(mistake.answer)]
        : []),
      ...formatList("Name", items),
    ]),
    "## Grant record",
    "Every record has these eleven fields, in this order.",
    ...formatList("Field", grantFields),
  ];
  return `${parts.join("\n\n")}\n`;
}

function formatSection({ title, intro, operations }: GuideSection): string[] {
  return [`## ${title}`, ...intro, ...operations.flatMap(formatOperation)];
}

function formatOperation(operation: GuideOperation): string[] {
  const { path, parameters, knownParameters, fields, request, answer } = operation;
  const names = new Set(knownParameters);
  const hasFilters = filters.every((name) => names.has(name));
  const others = [...(hasFilters ? names.difference(new Set(filters)) : names)];
  const known = [...(hasFilters ? ["every filter"] : []), ...others.map((name) => `\`${name}\``)].join(", ");
  return [
    `### \`${path}\``,
    ...formatList("Parameter", parameters),
    ...(known === "" ? [] : [`${parameters.length === 0 ? "Takes" : "Also takes"} ${known}, as above.`]),
    ...formatList("Field", fields),
    fence("sh", `curl '${host}${request}'`),
    ...(/\/funders\/[^/]+\/history/.test(path) ? [] : [formatAnswer(answer)]), // a funder's answers have the form of a search's
  ];
}

/** An answer, with objects of plain values on one line each, as the API writes records. */
function formatAnswer(answer: string): string {
  if (!/^[[{]/.test(answer)) return fence("", answer);
  const onOneLine = (object: string) => object.replaceAll(/\n\s*/g, "").replaceAll('": ', '":');
  return fence("json", answer.replaceAll(/\{[^{}]*\}/g, onOneLine));
}

/** A table of names, or nothing if there are none. */
function formatList(head: string, items: readonly Described[]): string[] {
  if (items.length === 0) return [];
  return [
    formatTable(
      [head, "Value", "Meaning"],
      items.map(({ name, kind, description }) => [`\`${name}\``, kind, description]),
    ),
  ];
}

function formatTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const used = head.map((_, column) => lines.some((cells) => cells[column] !== ""));
  const rows = [head, head.map(() => "---"), ...lines].map((cells) =>
    cells.filter((_, column) => used[column]),
  );
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}
