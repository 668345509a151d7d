// Describes the arguments of tools by the API's own parameters, and turns them into queries.

import { malformed, shown } from "../../contract/errors.ts";
import { agentRowsDefault, agentRowsMax, problemsMax } from "../../contract/limits.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { parameters, readParameter } from "../../contract/parameters.ts";
import { invalidParameters } from "../../contract/refusals.ts";
import { type OperationId, operations } from "../../contract/request.ts";
import { releaseId, type Schema } from "../../contract/schema.ts";
import { type Draft, type Parameter, readInteger } from "../../contract/values.ts";
import { releaseIdPattern } from "../../release/layout.ts";
import { ToolProblem } from "./ask.ts";

/** The parameters of a tool by name. */
export type Accepted = Readonly<Record<string, Parameter>>;

/** Arguments as texts, by name. */
export type Texts = ReadonlyMap<string, string>;

const limitBounds = { minimum: 1, maximum: agentRowsMax };

/** The number of rows, with bounds of its own. */
export const limit: Parameter = {
  description: "Maximum number of rows.",
  schema: { type: "integer", ...limitBounds, default: agentRowsDefault },
  read: readInteger("limit", limitBounds),
};

/** Every tool takes it. */
export const release: Parameter = {
  description:
    "Id of a release, as in an earlier result, so that results agree. Without it, the current one.",
  schema: releaseId,
  read: (value) =>
    releaseIdPattern.test(value)
      ? undefined
      : malformed("release must be an id such as 20261120T040000Z", value),
};

/** The parameters of an operation. @param id as in OpenAPI */
export function parametersOf(id: OperationId): Accepted {
  const operation: Operation | undefined = operations.find((operation) => operation.id === id);
  const { own = {}, parameters: names = [] } = operation ?? {};
  return Object.fromEntries(names.map((name) => [name, (own[name] ?? parameters[name]) as Parameter]));
}

/** The JSON Schema of a tool's arguments. */
export function inputSchema(accepted: Accepted, required: readonly string[] = []): Schema {
  const properties = Object.entries(accepted).map(
    ([name, { description, schema }]) => [name, { ...schema, description }] as const,
  );
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * The arguments as texts, without those that are null.
 * @throws ToolProblem with all problems, in the words of the API
 */
export function readArguments(given: unknown, accepted: Accepted, required: readonly string[] = []): Texts {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== null && value !== undefined)
      texts.set(name, typeof value === "object" ? JSON.stringify(value) : String(value).trim());
  const draft: Draft = {};
  const problems = [...texts].flatMap(([name, text]) => {
    const fault = readParameter(Object.keys(accepted), name, [text], draft, accepted);
    return fault === undefined ? [] : [{ parameter: shown(name), ...fault }];
  });
  for (const name of required.filter((name) => !texts.has(name)))
    problems.push({ parameter: name, code: "blank", message: `${name} must be given` });
  if (problems.length === 0) return texts;
  const { code, message } = invalidParameters(problems.slice(0, problemsMax));
  throw new ToolProblem(
    code,
    message,
    problems.map(({ parameter }) => parameter),
  );
}

/** The query of these arguments; `release` is a part of the path. @param omitted other names that it lacks */
export function queryOf(texts: Texts, omitted: readonly string[] = []): URLSearchParams {
  return new URLSearchParams([...texts].filter(([name]) => name !== "release" && !omitted.includes(name)));
}

/** The query of a list, with its number of rows. */
export function pageQueryOf(texts: Texts): URLSearchParams {
  const query = queryOf(texts);
  if (!query.has("limit")) query.set("limit", String(agentRowsDefault));
  return query;
}
