// Asks the API on behalf of a tool: a request of the same client, with the same limits, queue and errors.
import type { Ein } from "../../contract/ein.ts";
import type { Problem } from "../../contract/errors.ts";
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
