// Defines the tools about organizations: one finds their EINs, one tells what they gave and received.

import type { Evaluation } from "../../contract/answers/likelyFunders.ts";
import { parseEin } from "../../contract/ein.ts";
import { nameParameters } from "../../contract/operations/organizations.ts";
import { parameters } from "../../contract/parameters.ts";
import { paths } from "../../contract/request.ts";
import type { Parameter } from "../../contract/values.ts";
import { limit, pageQueryOf, parametersOf, queryOf, release, ToolProblem } from "./ask.ts";
import { countOf, orNull, outputSchema, parts, propertiesOf, type Tool, withNames } from "./tool.ts";

export const findOrganizations: Tool = {
  name: "find_organizations",
  title: "Find organizations",
  description:
    "Use this when an organization is named, before any other tool: it finds the EINs that the others take. Names may be incomplete or misspelled, and a city or a state may be among the words. An EIN finds its name.",
  accepted: { ...nameParameters, limit, release },
  required: ["name"],
  output: outputSchema(propertiesOf("Organizations")),
  call: async (given, asker) => {
    const query = pageQueryOf(given);
    const { success, ...body } = await asker.ask(paths.findOrganizations, query);
    return {
      text: `${countOf(body.total, "organization")}, the best first.`,
      content: { release: asker.release, url: asker.href(paths.findOrganizations, query), ...body },
    };
  },
};

const role = {
  ...(nameParameters.role as Parameter),
  description: "Only what it gave (`funder`), or only what it received (`recipient`). Without it, both.",
};

/** The number of likely grants, which are in no sum of what it received; nothing if there are none. */
function describeMatched(recipient: unknown): string[] {
  const { records } = (recipient as { matched: { records: number } }).matched;
  return records === 0 ? [] : [`${countOf(records, "likely grant")} apart`];
}

export const getOrganization: Tool = {
  name: "get_organization",
  title: "Get an organization",
  description:
    "Use this when one organization is asked about and its EIN is known: its name and place, what it gave and received by year and by size, its largest grant, and its ten largest recipients and funders. Grants in `matched` name no EIN: by rules, they likely went to it.",
  accepted: { ein: parameters.ein as Parameter, role, release },
  required: ["ein"],
  output: outputSchema({
    organization: orNull(propertiesOf("Organization").data),
    as_funder: orNull(propertiesOf("FunderSummary").data),
    as_recipient: orNull(propertiesOf("RecipientSummary").data),
    names: parts.names,
  }),
  call: async (given, asker) => {
    const ein = String(parseEin(String(given.get("ein"))));
    const find = async (path: string, unless?: string) =>
      given.get("role") === unless && unless !== undefined
        ? null
        : ((await asker.find(path.replace(/\{\w+\}/, ein)))?.data ?? null);
    const [organization, as_funder, as_recipient] = await Promise.all([
      find(paths.readOrganization),
      find(paths.summarizeFunder, "recipient"),
      find(paths.summarizeRecipient, "funder"),
    ]);
    if (organization === null && as_funder === null && as_recipient === null)
      throw new ToolProblem("organization_not_found", `the release has no organization ${ein}`, ["ein"]);
    const url = asker.href(paths.readOrganization.replace("{ein}", ein));
    const content = await withNames({ organization, as_funder, as_recipient }, url, asker);
    const { name = `EIN ${ein}` } = (organization ?? {}) as { name?: string };
    const sides = [
      ...(as_funder === null ? [] : ["what it gave"]),
      ...(as_recipient === null ? [] : ["what it received", ...describeMatched(as_recipient)]),
    ];
    return { text: `${name}: ${sides.join(", ") || "no grants"}.`, content };
  },
};

export const listLikelyFunders: Tool = {
  name: "list_likely_funders",
  title: "List likely funders",
  description:
    "Use this when it is asked who might fund an organization: funders that have not given to it, best first, each with reasons that can be checked. `model` says how often such lists were right; say it with the list. Some releases have no lists and say why.",
  accepted: { ein: parameters.ein as Parameter, ...parametersOf("listLikelyFunders"), release },
  required: ["ein"],
  output: outputSchema({ ...propertiesOf("LikelyFunders"), names: parts.names }),
  call: async (given, asker) => {
    const ein = String(parseEin(String(given.get("ein"))));
    const path = paths.listLikelyFunders.replace("{recipient_ein}", ein);
    const query = queryOf(given, ["ein"]);
    const body = await asker.ask(path, query);
    const { evaluated } = body.model as { evaluated: Evaluation };
    const share = Math.round(Number(evaluated.hit_at_10) * 100);
    return {
      text: `${countOf((body.data as unknown[]).length, "likely funder")}; of recipients with a new funder, ${share} % had one among the first ten.`,
      content: await withNames(body, asker.href(path, query), asker),
    };
  },
};
