// Defines the tools about grants: they list them, add them up, describe the data, and list the changes from release to release.

import { type ChangesIndex, changesIndexName } from "../../contract/answers/changes.ts";
import type { MatchFacts } from "../../contract/answers/matches.ts";
import { fieldSchemas } from "../../contract/answers/record.ts";
import { count } from "../../contract/answers/schema.ts";
import { filterNames } from "../../contract/filters/table.ts";
import * as limits from "../../contract/limits.ts";
import { agentRowsDefault } from "../../contract/limits.ts";
import { parameters } from "../../contract/parameters.ts";
import { changesNotKept } from "../../contract/refusals.ts";
import { paths } from "../../contract/request.ts";
import type { Parameter } from "../../contract/values.ts";
import { limit, pageQueryOf, parametersOf, queryOf, release, ToolProblem } from "./ask.ts";
import { countOf, nextOf, outputSchema, parts, propertiesOf, type Tool, withNames } from "./tool.ts";

const { names, csv, next } = parts;

export const searchGrants: Tool = {
  name: "search_grants",
  title: "Search grants",
  description:
    "Use this when single grants are asked for: the newest or the largest (`sort`: `amount`), of a funder, a recipient, a year, a purpose, a place or a size. Without filters, it lists all grants. For sums and rankings, use summarize_search.",
  accepted: { ...parametersOf("searchGrants"), limit, release },
  output: outputSchema({ ...propertiesOf("HistoryPage"), names, csv, next }),
  call: async (given, asker) => {
    const query = pageQueryOf(given);
    const body = await asker.ask(paths.searchGrants, query);
    const { length } = body.data as unknown[];
    const end = 1 + (given.get("sort") === "amount" ? limits.offsetByAmountMax : limits.offsetMax);
    return {
      text: `${countOf(body.total, "matching grant")}; ${length} of them here.`,
      content: {
        ...(await withNames(body, asker.href(paths.searchGrants, query), asker)),
        csv: asker.href(paths.exportGrants, queryOf(given, ["sort", "limit", "offset"])),
        next: nextOf(given, body, asker, end),
      },
    };
  },
};

const data = { anyOf: [propertiesOf("Totals").data, propertiesOf("Groups").data] };

export const summarizeSearch: Tool = {
  name: "summarize_search",
  title: "Summarize a search",
  description:
    "Use this when numbers, sums or rankings are asked for: how many grants match, how much they add up to, by year and by size, and the ten largest funders and recipients. With `by`, it ranks all funders, recipients, years, types, towns, states or causes; only then, it takes `sort`, `limit` and `offset`.",
  accepted: { ...parametersOf("groupGrants"), limit, release },
  output: outputSchema({ data, names, csv }, { ...propertiesOf("Groups"), data, next }),
  call: async (given, asker) => {
    const isGrouped = given.has("by");
    const needless = ["sort", "limit", "offset"].filter((name) => !isGrouped && given.has(name));
    if (needless.length > 0)
      throw new ToolProblem("invalid_parameter", `${needless.join(", ")} must not be given without by`, [
        "by",
      ]);
    const path = isGrouped ? paths.groupGrants : paths.summarizeGrants;
    const query = isGrouped ? pageQueryOf(given) : queryOf(given);
    const body = await asker.ask(path, query);
    const { records, amount } = (isGrouped ? body : body.data) as { records: number; amount: number };
    const ofGroups = isGrouped ? `, in ${countOf(body.total, "group")}` : "";
    return {
      text: `${countOf(records, "matching grant")} of ${countOf(amount, "dollar")} in all${ofGroups}.`,
      content: {
        ...(await withNames(body, asker.href(path, query), asker)),
        csv: asker.href(
          isGrouped ? paths.exportGroups : paths.exportGrants,
          queryOf(given, ["limit", "offset"]),
        ),
        ...(isGrouped && { next: nextOf(given, body, asker, limits.groupsMax + 1 - Number(body.limit)) }),
      },
    };
  },
};

const fields = Object.fromEntries(
  Object.entries(fieldSchemas).map(([name, { description }]) => [name, description]),
);
const filters = Object.fromEntries(filterNames.map((name) => [name, parameters[name]?.description]));

const texts = { type: "object", additionalProperties: { type: "string" } } as const;

export const describeData: Tool = {
  name: "describe_data",
  title: "Describe the data",
  description:
    "Use this when it matters what the data are: which years, how many grants, funders and recipients, how old, what is missing, how many grants without an EIN have a likely recipient and how right the rules are, and what fields and filters mean. Values of `type`, towns, states and causes are groups of summarize_search.",
  accepted: { release },
  output: outputSchema({
    data: { type: "object", description: "The status of the release.", properties: propertiesOf("Status") },
    fields: { ...texts, description: "Meaning of each field of a grant." },
    filters: { ...texts, description: "Meaning of each filter." },
  }),
  call: async (_, asker) => {
    const { success, ...data } = await asker.ask(paths.readStatus);
    const years = `${data.first_year} to ${data.last_year}`;
    const likely = `${countOf((data.matches as MatchFacts).matched, "grant")} without an EIN with a likely recipient`;
    return {
      text: `${countOf(data.records, "grant")} of ${countOf(data.funders, "funder")}, ${years}; ${likely}.`,
      content: { release: data.release, url: asker.href(paths.readStatus), data, fields, filters },
    };
  },
};

const since: Parameter = {
  ...release,
  description: "Id of a release: only changes after it. Without it, the newest.",
};

export const listChanges: Tool = {
  name: "list_changes",
  title: "List changes",
  description:
    "Use this when it is asked what is new: for each release, newest first, how many grants were added, changed and removed, and the files that have them.",
  accepted: { since, limit },
  output: outputSchema({
    total: { ...count, description: "Number of releases with changes." },
    data: { ...propertiesOf("ChangesIndex").entries, description: "The changes to each release." },
  }),
  call: async (given, asker) => {
    const path = paths.readChanges.replace("{file}", changesIndexName);
    const index = (await asker.find(path, false)) as ChangesIndex | undefined;
    if (index === undefined) throw new ToolProblem("not_found", "this service keeps no changes yet");
    const found = changesAfter(index, given.get("since"));
    const newest = found.toReversed().slice(0, Number(given.get("limit") ?? agentRowsDefault));
    const href = (path: string) => asker.href(path, undefined, false);
    const data = newest.map(({ download, files, ...entry }) => ({
      ...entry,
      files: files.map((file) => ({ ...file, url: href(file.url) })),
      ...(download !== undefined && { download: href(download) }),
    }));
    return {
      text: `${countOf(found.length, "release")} with changes.`,
      content: { release: index.current, url: href(path), total: found.length, data },
    };
  },
};

/** A copy of a release continues with the last entry that starts from it. @throws ToolProblem if the entries do not lead to it */
function changesAfter({ current, entries }: ChangesIndex, since: string | undefined) {
  if (since === undefined) return entries;
  if (since === current) return [];
  const start = entries.findLastIndex(({ from }) => from === since);
  if (start >= 0) return entries.slice(start);
  const { code, message } = changesNotKept(since);
  throw new ToolProblem(code, message, ["since"]);
}
