// Serves the tools to agents over the Model Context Protocol: JSON in, JSON out, and nothing kept between requests.
import {
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  McpServer,
  validateHostHeader,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { jsonType } from "../../contract/headers.ts";
import { agentBatchMax } from "../../contract/limits.ts";
import { serviceFailed } from "../../contract/refusals.ts";
import { secondsToSyncEnd } from "../../contract/schedule.ts";
import { version } from "../../contract/version.ts";
import { ClientGone } from "../../search/queue.ts";
import { type Exchange, readBody, type ServiceRequest } from "../http/exchange.ts";
import { prepare, prepareText, type Reply } from "../http/reply.ts";
import { type AgentsContext, Asker, inputSchema, readArguments, ToolProblem } from "./ask.ts";
import { fetch, search } from "./connectorTools.ts";
import { describeData, listChanges, searchGrants, summarizeSearch } from "./dataTools.ts";
import { findOrganizations, getOrganization, listLikelyFunders } from "./organizationTools.ts";
import type { Tool } from "./tool.ts";

const tools: readonly Tool[] = [
  searchGrants,
  summarizeSearch,
  findOrganizations,
  getOrganization,
  listLikelyFunders,
  describeData,
  listChanges,
  search,
  fetch,
];

const instructions =
  "Grants that US nonprofits reported to the IRS. Organizations are named by EIN: find_organizations finds it. Results name the release that answered; amounts are dollars.";

/** The API checks arguments, so that its problems have the same words everywhere. */
const unchecked: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
  },
};

/** The tools as the library registers them. Their schemas are built once. */
const registrations = tools.map((tool) => ({
  tool,
  config: {
    title: tool.title,
    description: tool.description,
    inputSchema: fromJsonSchema(inputSchema(tool.accepted, tool.required), unchecked),
    outputSchema: fromJsonSchema(tool.output, unchecked),
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
}));

/** The type of the answer to a subscription. */
const streamType = "text/event-stream";

type Era = "modern" | "legacy";

export class AgentsService {
  readonly #context: AgentsContext;
  /** The exchange of each request that is being answered. */
  readonly #exchanges = new WeakMap<Request, Exchange>();
  /** Answers clients of revision 2026-07-28. A subscription is acknowledged and ends at once, because nothing ever changes. */
  readonly #handler = createMcpHandler(
    ({ requestInfo }) =>
      this.#createServer(this.#exchanges.get(requestInfo as Request) as Exchange, "modern"),
    { legacy: "reject", maxSubscriptions: 1 },
  );

  constructor(context: AgentsContext) {
    this.#context = context;
  }

  /** Answers a POST. @throws Refusal if its body is too large, too slow or no JSON; ClientGone */
  async answer(exchange: Exchange): Promise<Reply> {
    const { request } = exchange;
    const foreign = findForeignHost(request, this.#context.mcpHosts);
    if (foreign !== undefined) return prepareRpcError(exchange, 403, -32000, foreign);
    const body = await readBody(request, "application/json");
    const parsed = parse(body.toString());
    if (parsed === undefined) return prepareRpcError(exchange, 400, -32700, "the body is not JSON");
    const misuse = findMisuse(parsed, request.headers["mcp-protocol-version"]);
    if (misuse !== undefined) return prepareRpcError(exchange, 400, -32600, misuse);
    const response = await this.#respond(exchange, readMessages(parsed));
    const text = rewordIssues(await response.text());
    if (exchange.signal.aborted) throw new ClientGone("the agent went away");
    if (text === "")
      return prepare(exchange, response.status, { "Cache-Control": "no-store", "Content-Length": "0" });
    const isStream = response.headers.get("content-type") === streamType;
    return { ...prepareText(exchange, text, isStream ? streamType : jsonType), status: response.status };
  }

  async #respond(exchange: Exchange, parsedBody: unknown): Promise<Response> {
    const headers = new Headers({
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    });
    for (const name of ["mcp-protocol-version", "mcp-method", "mcp-name"]) {
      const value = exchange.request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    this.#exchanges.set(request, exchange);
    if (!(await isLegacyRequest(request, parsedBody))) return this.#handler.fetch(request, { parsedBody });
    const server = this.#createServer(exchange, "legacy");
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody });
    } finally {
      await server.close();
    }
  }

  /** A server for one request. */
  #createServer(exchange: Exchange, era: Era): McpServer {
    const { clock, syncMinutes } = this.#context;
    const hint = { ttlMs: secondsToSyncEnd(clock(), syncMinutes) * 1000, cacheScope: "public" as const };
    const server = new McpServer(
      { name: "grant-history-service", title: "Grant history", version },
      {
        instructions,
        capabilities: { tools: { listChanged: false } },
        cacheHints: { "tools/list": hint, "server/discover": hint },
      },
    );
    for (const { tool, config } of registrations)
      server.registerTool(tool.name, config, (given: unknown) => this.#call(tool, given, exchange, era));
    return server;
  }

  async #call(tool: Tool, given: unknown, exchange: Exchange, era: Era) {
    try {
      const texts = readArguments(given, tool.accepted, tool.required);
      const { text, content } = await tool.call(
        texts,
        new Asker(this.#context, exchange, texts.get("release")),
      );
      const json = era === "legacy" || text === undefined ? [JSON.stringify(content)] : []; // older clients may only read text
      return {
        content: [...(text === undefined ? [] : [text]), ...json].map(asText),
        structuredContent: content,
      };
    } catch (error) {
      if (!(error instanceof ToolProblem))
        this.#context.log.error("failed", { request_id: exchange.id, tool: tool.name, err: error });
      const problem =
        error instanceof ToolProblem ? error : new ToolProblem("internal", serviceFailed.message);
      return { content: [asText(describeProblem(problem, tool))], isError: true };
    }
  }
}

const asText = (text: string) => ({ type: "text" as const, text });

/** The rule, and for each argument that breaks it what it may be; for an unknown one, what there is. */
function describeProblem({ code, message, parameters }: ToolProblem, { accepted }: Tool): string {
  const lines = parameters.flatMap((name) => {
    const { description, schema } = accepted[name] ?? {};
    return description === undefined ? [] : [`${name}: ${description} ${JSON.stringify(schema)}`];
  });
  return [`${code}: ${message}`, ...lines].join("\n");
}

function prepareRpcError(exchange: Exchange, status: number, code: number, message: string): Reply {
  const text = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  return { ...prepareText(exchange, text, jsonType), status };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Why a request is refused; undefined if its host, and its origin if it has one, are allowed: a page of another site must not reach a
 * server on this machine by its own name.
 */
function findForeignHost(
  { headers: { host, origin } }: ServiceRequest,
  allowed: readonly string[],
): string | undefined {
  const names = [...allowed];
  if (!validateHostHeader(host?.toLowerCase(), names).ok)
    return "the Host header names a host that MCP_HOSTS does not list";
  if (!validateOriginHeader(origin, names).ok)
    return "the Origin header names a host that MCP_HOSTS does not list";
  return undefined;
}

/** Revisions of the protocol that have batches. Clients of the first one do not send the header with their revision. */
const batchRevisions: readonly unknown[] = [undefined, "2025-03-26"];

/** Why a parsed body is refused; undefined if it is a message, or a batch where the revision has them. */
export function findMisuse(parsed: unknown, revision: unknown): string | undefined {
  if (!Array.isArray(parsed)) return isValues(parsed) ? undefined : "the body must be a JSON-RPC message";
  if (!batchRevisions.includes(revision)) return "the body must be one JSON-RPC message, not a batch";
  if (parsed.length >= 1 && parsed.length <= agentBatchMax) return undefined;
  return `a batch must have 1 to ${agentBatchMax} messages, got ${parsed.length}`;
}

/**
 * The messages as the library takes them: a null for `params` or `arguments` is none. A batch has no cancellations, because the library
 * would wait for the answer to what they cancel.
 */
export function readMessages(parsed: unknown): unknown {
  if (!Array.isArray(parsed)) return readMessage(parsed);
  return parsed.filter((one) => one?.method !== "notifications/cancelled").map(readMessage);
}

function readMessage(parsed: unknown): unknown {
  if (!isValues(parsed)) return parsed; // also a batch in a batch, which the library refuses
  const { params, ...others } = parsed;
  if (params === null) return others;
  if (!isValues(params) || params.arguments !== null) return parsed;
  return { ...parsed, params: { ...params, arguments: undefined } };
}

/** The issues that the library's validator lists as JSON in a message, as a JSON text has it. */
const listedIssues = /"code":-\d+,"message":"((?:[^"\\[]|\\.)*)(\[\\n(?:[^"\\]|\\.)*\])"/g;

/** An answer whose errors name the place and the rule, without the validator's list. */
export function rewordIssues(text: string): string {
  return text.replace(listedIssues, (_, start: string, list: string) => {
    const issues = JSON.parse(JSON.parse(`"${list}"`)) as { path: string[]; message: string }[];
    const rules = issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    return `"code":-32602,"message":${JSON.stringify(`${JSON.parse(`"${start}"`)}${rules}`)}`;
  });
}

function isValues(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
