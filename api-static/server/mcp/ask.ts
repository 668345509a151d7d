// Asks the API on behalf of a tool: a request of the same client, with the same limits, queue and errors; and reads the arguments of tools.

import { releaseId, type Schema } from "../../contract/answers/schema.ts";
import type { Ein } from "../../contract/ein.ts";
import { malformed, type Problem, shown } from "../../contract/errors.ts";
import { agentRowsDefault, agentRowsMax, problemsMax } from "../../contract/limits.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { parameters, readParameter } from "../../contract/parameters.ts";
import { invalidParameters } from "../../contract/refusals.ts";
import { type OperationId, operations } from "../../contract/request.ts";
import { type Draft, type Parameter, readInteger } from "../../contract/values.ts";
import { releaseIdPattern } from "../../release/layout.ts";
import type { Release } from "../../search/release.ts";
import { type Exchange, originOf, type ServiceRequest } from "../http/exchange.ts";
import type { Reply } from "../http/reply.ts";
import type { Log } from "../observe/log.ts";

/** What the tools need of the service. */
export type Api = {
  readonly handle: (request: ServiceRequest) => Reply | Promise<Reply>;
  readonly releases: {
    readonly current: Release | undefined;
    readonly enter: (id?: string) => Promise<Release | undefined>;
  };
  readonly siteUrl: string;
};

export type AgentsContext = Api & {
  /** Names of hosts that requests may be for, and whose pages may send them. */
  readonly mcpHosts: readonly string[];
  readonly clock: () => Date;
  readonly syncMinutes?: number;
  readonly log: Log;
};

/** A body of JSON, e.g., a page of grants or an error. */
export type Body = Readonly<Record<string, unknown>>;

/** A problem that an agent reads: the rule, and what to do. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
  /** The names of the arguments that are not valid. */
  readonly parameters: readonly string[];
  readonly code: string;

  constructor(code: string, message: string, parameters: readonly string[] = []) {
    super(message);
    this.code = code;
    this.parameters = parameters;
  }
}

/** The API as one call of a tool sees it: all answers are from one release. */
export class Asker {
  readonly #api: Api;
  readonly #exchange: Exchange;
  /** The id of the release; undefined if there is none yet. */
  readonly release: string | undefined;

  /** @param release the id of a release; undefined for the current one */
  constructor(api: Api, exchange: Exchange, release: string | undefined) {
    this.#api = api;
    this.#exchange = exchange;
    this.release = release ?? api.releases.current?.facts.release;
  }

  /** The whole URL of a path in the release, or of a path of the host if it is not pinned. */
  href(path: string, query: URLSearchParams = new URLSearchParams(), isPinned = true): string {
    return originOf(this.#exchange, this.#api.siteUrl) + this.#target(path, query, isPinned);
  }

  /**
   * The body of a 200.
   * @throws ToolProblem with the API's error
   */
  async ask(path: string, query: URLSearchParams = new URLSearchParams(), isPinned = true): Promise<Body> {
    const { status, body, retryAfter } = await this.#ask(this.#target(path, query, isPinned));
    if (status === 200) return body;
    const { code = "internal", error = "", details = [] } = body as { details?: Problem[] } & Body;
    const advice = retryAfter === undefined ? "" : ` (retry after ${retryAfter} seconds)`;
    const parameters = details.map(({ parameter }) => parameter);
    throw new ToolProblem(String(code), `${error}${advice}`, parameters);
  }

  /** The body of a 200; undefined for a 404. @throws as `ask` */
  async find(path: string, isPinned = true): Promise<Body | undefined> {
    try {
      return await this.ask(path, undefined, isPinned);
    } catch (error) {
      const isMissing = error instanceof ToolProblem && /^(?!release_)\w*not_found$/.test(error.code);
      if (isMissing) return undefined;
      throw error;
    }
  }

  /** The names of those funders that the list of organizations has. */
  async namesOf(eins: Iterable<Ein>): Promise<Record<string, string>> {
    const release = await this.#api.releases.enter(this.release);
    if (release === undefined) return {};
    try {
      const names = [...new Set(eins)].map((ein) => [ein, release.organizations.findName(ein)] as const);
      return Object.fromEntries(names.flatMap(([ein, name]) => (name === undefined ? [] : [[ein, name]])));
    } finally {
      release.leave();
    }
  }

  #target(path: string, query: URLSearchParams, isPinned: boolean): string {
    const prefix = isPinned && this.release !== undefined ? `/r/${this.release}` : "";
    return prefix + path + (query.size === 0 ? "" : `?${query}`);
  }

  /** The request has the address, the connection and the id of the agent's. */
  async #ask(url: string): Promise<{ status: number; body: Body; retryAfter: string | undefined }> {
    const { request, id } = this.#exchange;
    const { "x-forwarded-for": forwarded } = request.headers;
    const headers = { "x-request-id": id, ...(forwarded !== undefined && { "x-forwarded-for": forwarded }) };
    const { socket } = request;
    const answer = await this.#api.handle({ method: "GET", url, headers, ...(socket && { socket }) });
    const { status, headers: sent, body } = answer;
    const at = sent.indexOf("Retry-After");
    return { status, body: parse(body), retryAfter: at < 0 ? undefined : sent[at + 1] };
  }
}

/** Parses a body. An id whose digits a number would not keep stays text; no other value can have this form. */
function parse(body: Reply["body"]): Body {
  const text = String(body);
  if (!text.startsWith("{")) return {};
  return JSON.parse(text.replace(/"id":(-?\d{16,})/g, '"id":"$1"')) as Body;
}

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
