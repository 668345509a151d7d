// Defines the tools that search grants: one lists them, one adds them up.
import * as limits from "../../contract/limits.ts";
import { paths } from "../../contract/request.ts";
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
