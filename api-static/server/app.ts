// Answers every request: prepares its reply, adds the headers of this request, logs and counts it.
import { LRUCache } from "lru-cache";
import { type ApiError, Refusal } from "../contract/errors.ts";
import * as headers from "../contract/headers.ts";
import { urlLengthMax } from "../contract/limits.ts";
import type { HistoryRequest, TotalsRequest } from "../contract/operations/searches.ts";
import { isWholeFunder } from "../contract/operations/searches.ts";
import {
  contentChanged,
  invalidParameters,
  methodNotAllowed,
  serviceFailed,
  uriTooLong,
} from "../contract/refusals.ts";
import { type OperationRequest, paths } from "../contract/request.ts";
import { DamagedPage } from "../release/pageFileFormat.ts";
import { ClientGone } from "../search/queue.ts";
import { type AnsweredRequest, answerFromRelease, answerUnreleased } from "./answers/answers.ts";
import type { AnswerContext } from "./answers/asked.ts";
import { notReady } from "./answers/service.ts";
import { prepareEarly, prepareGone, type Site } from "./answers/sitePages.ts";
import { addForm, Exchange, type ServiceRequest, type Target } from "./http/exchange.ts";
import {
  countBytes,
  isStream,
  prepare,
  prepareError,
  prepareRedirect,
  type Reply,
  withoutBody,
} from "./http/reply.ts";
import type { AgentsService } from "./mcp/service.ts";
import type { ServerMetrics } from "./observe/metrics.ts";
import type { SearchLog } from "./observe/searchLog.ts";

/** Status of requests whose client closed its connection, in the log and the metrics. It is never sent; nginx uses the same number. */
const clientGoneStatus = 499;

/** Routes that machines request every few seconds: their log lines have level `debug`. */
const probes: ReadonlySet<string> = new Set([paths.readHealth, paths.readReadiness]);

export type AppContext = AnswerContext & {
  readonly metrics: ServerMetrics;
  /** True if the log has clients' addresses. */
  readonly isClientLogged: boolean;
  /** The built site, for pages before the first release. */
  readonly earlySite: Site;
  /** Names of hosts that agents' requests may be for. */
  readonly mcpHosts: readonly string[];
  /** Bytes of memory for replies from page files; 0 keeps none. */
  readonly preparedBytes: number;
  /** Makes an id for a request that came without one. */
  readonly newRequestId: () => string;
  /** Records searches; undefined if they are not logged. */
  readonly searchLog?: Pick<SearchLog, "note"> | undefined;
};

/** The target of a URL that has a page file; from the second request on, also the reply. */
type Kept = { readonly target: Target; readonly reply?: Reply };

/** Bytes of memory of a kept target, with the URL, and of a kept reply, with its headers. */
const sizeOf = ({ reply }: Kept, url: string) =>
  8 * url.length + 500 + (reply === undefined ? 0 : countBytes(reply.body) + 2_000);

export class App {
  readonly #context: AppContext;
  /** Gzipped replies from page files of one release, by URL. */
  readonly #kept: LRUCache<string, Kept>;
  #keptRelease: string | undefined;
  #agents: Promise<AgentsService> | undefined;

  constructor(context: AppContext) {
    this.#context = context;
    this.#kept = new LRUCache({ maxSize: Math.max(1, context.preparedBytes), sizeCalculation: sizeOf });
  }

  /** Answers a request, with or without a socket. */
  async handle(request: ServiceRequest): Promise<Reply> {
    const exchange = new Exchange(request, this.#context.newRequestId);
    let reply: Reply;
    try {
      reply = this.#findKept(exchange) ?? (await this.#answer(exchange));
    } catch (error) {
      reply = prepareFailure(exchange, error);
    }
    return this.#finish(exchange, reply);
  }

  /** The kept reply to a URL of the current release. */
  #findKept(exchange: Exchange): Reply | undefined {
    const { acceptsGzip, request } = exchange;
    const release = this.#context.releases.current?.facts.release;
    if (release !== this.#keptRelease) this.#kept.clear();
    this.#keptRelease = release;
    const kept = request.method === "GET" && acceptsGzip ? this.#kept.get(request.url ?? "") : undefined;
    if (kept === undefined) return undefined;
    exchange.target = kept.target;
    exchange.headers = ["X-Release", String(release)];
    return kept.reply;
  }

  async #answer(exchange: Exchange): Promise<Reply> {
    const method = String(exchange.request.method);
    this.#context.clients.dropClaims(exchange.request);
    const { pathname, search, methods } = exchange.target;
    if (pathname.length + search.length > urlLengthMax) return prepareError(exchange, uriTooLong);
    if (method === "OPTIONS") return prepare(exchange, 204, headers.preflightHeaders(methods));
    if (!methods.split(", ").includes(method))
      return prepareError(exchange, methodNotAllowed(method, methods), { Allow: methods });
    if (method === "POST" && exchange.target.request.kind !== "tools")
      exchange.target = await addForm(exchange);
    const { request } = exchange.target;
    if (request.kind === "tools") return (await this.#loadAgents()).answer(exchange);
    if (request.kind === "redirect") return prepareRedirect(exchange, request.location);
    if (request.kind === "refused") return prepareError(exchange, invalidParameters(request.problems));
    return answerUnreleased(exchange, this.#context, request) ?? this.#answerFromRelease(exchange, request);
  }

  /** Loads the service for agents when the first of them asks: its library takes 30 MB of memory and 0.1 seconds. */
  #loadAgents(): Promise<AgentsService> {
    this.#agents ??= import("./mcp/service.ts")
      .then(
        ({ AgentsService }) =>
          new AgentsService({ ...this.#context, handle: (request) => this.handle(request) }),
      )
      .catch((error: unknown) => {
        this.#agents = undefined; // the next agent tries again
        throw error;
      });
    return this.#agents;
  }

  /** Answers from the release that the URL pins, or else from the current one. It stays open until the reply is made. */
  async #answerFromRelease(exchange: Exchange, request: AnsweredRequest): Promise<Reply> {
    const { target } = exchange;
    const release = await this.#context.releases.enter(target.release);
    if (release === undefined && target.release !== undefined)
      return prepareGone(exchange, this.#context.releases.current?.site) ?? prepareError(exchange, notKept);
    if (release === undefined)
      return prepareEarly(exchange, this.#context.earlySite) ?? prepareError(exchange, notReady);
    const id = release.facts.release;
    exchange.headers = ["X-Release", id];
    try {
      const admit = () => ({
        network: this.#context.clients.admitSearch(exchange.request),
        gone: exchange.signal,
      });
      const reply = await answerFromRelease({ exchange, context: this.#context, release, admit }, request);
      const isKept = reply.answeredBy === "file" && exchange.acceptsGzip && target.release === undefined;
      if (isKept && id === this.#keptRelease) this.#keep(exchange, reply);
      return reply;
    } finally {
      release.leave();
    }
  }

  /** Keeps a reply to the second request: a client that walks through all pages requests most of them once, and pushes out no others. */
  #keep({ request: { url = "" }, target }: Exchange, reply: Reply): void {
    this.#kept.set(url, this.#kept.has(url) ? { target, reply } : { target });
  }

  /** Adds the headers of this request, and reports the answer. */
  #finish(exchange: Exchange, found: Reply): Reply {
    const { request, id } = exchange;
    const { digest } = found;
    const isOther = digest !== undefined && headers.namesOtherContent(request.headers["if-match"], digest);
    const prepared = isOther ? prepareError(exchange, contentChanged) : found;
    const { answeredBy, searched } = prepared;
    const isUnchanged =
      !isOther && digest !== undefined && headers.matchesEtag(request.headers["if-none-match"], digest);
    const sent = isUnchanged ? withoutBody(prepared.headers) : [...prepared.headers];
    sent.push("X-Request-Id", id);
    if (prepared.isUntilSync)
      sent.push("Cache-Control", headers.cacheUntilSync(this.#context.clock(), this.#context.syncMinutes));
    if (searched !== undefined) {
      const milliseconds = performance.now() - exchange.start;
      const { request, total, plan } = searched;
      const desc = plan === undefined ? "" : `;desc="${plan}"`;
      sent.push("Server-Timing", `${answeredBy};dur=${milliseconds.toFixed(2)}${desc}`);
      if (answeredBy !== undefined && isLogged(request) && !isWholeFunder(request.filters))
        this.#context.searchLog?.note({ request, path: answeredBy, milliseconds, total });
    }
    const status = isUnchanged ? 304 : prepared.status;
    const report = (bytes: number) => {
      exchange.end();
      this.#report(exchange, prepared, status, bytes);
    };
    const body = isUnchanged || request.method === "HEAD" ? null : prepared.body;
    if (isStream(body)) void body.sent.then(report);
    else report(countBytes(body));
    return { ...prepared, status, headers: sent, body };
  }

  /**
   * Logs and counts an answer. The log line of a failure (`internal`) has its stack.
   * @param status as sent: 304 if the client has the content
   * @param bytes of the body that were sent
   */
  #report({ id, request, target, start }: Exchange, prepared: Reply, status: number, bytes: number): void {
    const { log, metrics, clients, isClientLogged } = this.#context;
    const { code, failure, answeredBy } = prepared;
    const { operation, pathname } = target;
    const route = operation?.path ?? "other";
    const by = answeredBy ?? "none";
    const milliseconds = performance.now() - start;
    metrics.count({ route, status, code: code ?? "", answeredBy: by, seconds: milliseconds / 1000 });
    const fields = {
      request_id: id,
      method: request.method,
      path: pathname,
      status,
      code, // JSON omits what is undefined
      duration_ms: Math.round(milliseconds * 1000) / 1000,
      answered_by: by,
      bytes,
      client: isClientLogged ? clients.addressOf(request) : undefined,
    };
    if (failure instanceof DamagedPage) metrics.countDamagedPage();
    if (code === "internal") log.error("failed", { ...fields, err: failure });
    else log[probes.has(route) ? "debug" : "info"]("answered", fields);
  }
}

/** True for requests whose answers a sync may prepare. */
function isLogged(request: OperationRequest): request is HistoryRequest | TotalsRequest {
  return request.kind === "history" || request.kind === "totals";
}

const notKept: ApiError = { code: "release_not_found", message: "no release with this id is kept" };

function prepareFailure(exchange: Exchange, failure: unknown): Reply {
  if (failure instanceof Refusal) return prepareError(exchange, failure.error);
  if (failure instanceof ClientGone) return prepare(exchange, clientGoneStatus, {});
  return { ...prepareError(exchange, serviceFailed), failure };
}
