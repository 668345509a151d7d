// Answers every request: finds its prepared answer or prepares it, then adds what differs from request to request.
import { LRUCache } from "lru-cache";
import { Refusal } from "../contract/errors.ts";
import * as headers from "../contract/headers.ts";
import { urlLengthMax } from "../contract/limits.ts";
import { isWholeFunder } from "../contract/pageKeys.ts";
import { invalidParameters, methodNotAllowed, uriTooLong } from "../contract/refusals.ts";
import { routes } from "../contract/routes.ts";
import type { SyncEntry } from "../contract/syncs.ts";
import { openapiText } from "../openapi/document.ts";
import { digestBody } from "../release/pageFileFormat.ts";
import { formatStatus } from "../release/status.ts";
import { ClientGone } from "../search/queue.ts";
import type { Release } from "../search/release.ts";
import { findUnreadiness, formatReport, noRelease } from "./answers/health.ts";
import * as answers from "./answers/prepare.ts";
import { Exchange, type ServiceRequest, type Target } from "./http/exchange.ts";
import {
  type Answer,
  type Content,
  isStream,
  type Prepared,
  prepareContent,
  prepareEmpty,
  prepareError,
  prepareRedirect,
  prepareText,
} from "./http/prepared.ts";
import type { SearchLog } from "./observe/searchLog.ts";
import { reportAnswer, type WatchContext } from "./observe/watch.ts";
import type { CurrentRelease } from "./releases/currentRelease.ts";
import type { PinnedReleases } from "./releases/pinnedReleases.ts";
import { rememberLast } from "./rememberLast.ts";

/** Status of requests whose client closed its connection, in the log and the metrics. It is never sent; nginx uses the same number. */
const clientGoneStatus = 499;

/** Bytes of memory that a kept answer takes beyond its body: its headers, its URL and its entry. */
const overheadBytes = 3_000;

export type AppContext = WatchContext &
  answers.AnswerContext & {
    readonly clock: () => Date;
    readonly current: Pick<CurrentRelease, "get">;
    readonly pinned: Pick<PinnedReleases, "enter" | "keeps">;
    /** Bytes of memory for prepared answers; 0 keeps none. */
    readonly preparedBytes: number;
    /** Makes an id for a request that came without one. */
    readonly newRequestId: () => string;
    /** Records searches; undefined if they are not logged. */
    readonly searchLog?: Pick<SearchLog, "note"> | undefined;
    /** Hours after its sync during which a release counts as ready. */
    readonly readyHours: number;
    /** Reads the history of syncs, newest first. */
    readonly readSyncs: () => Promise<readonly SyncEntry[]>;
  };

/** A request that a release answers. */
type AnsweredRequest = Exclude<Target["request"], { kind: "redirect" | "refused" }>;

/** A prepared answer that is kept for further requests. */
type Kept = { readonly prepared: Prepared; readonly target: Target; readonly release: string };

export class App {
  readonly #context: AppContext;
  /** The answers read from files, by encoding and URL. */
  readonly #kept: LRUCache<string, Kept> | undefined;
  readonly #cacheUntilSync = rememberLast((second: number) =>
    headers.cacheUntilSync(new Date(second * 1000)),
  );

  constructor(context: AppContext) {
    const { preparedBytes: maxSize } = context;
    const sizeCalculation = ({ prepared }: Kept) => prepared.bytes + overheadBytes;
    this.#context = context;
    this.#kept = maxSize === 0 ? undefined : new LRUCache({ maxSize, sizeCalculation });
  }

  /** Answers a request, with or without a socket. */
  handle(request: ServiceRequest): Answer | Promise<Answer> {
    const exchange = new Exchange(request, this.#context.newRequestId);
    const fail = (error: unknown) => this.#finish(exchange, prepareFailure(exchange, error));
    try {
      const prepared = this.#find(exchange) ?? this.#prepare(exchange);
      if (!(prepared instanceof Promise)) return this.#finish(exchange, prepared);
      return prepared.then((prepared) => this.#finish(exchange, prepared)).catch(fail);
    } catch (error) {
      return fail(error);
    }
  }

  /** The kept answer to the URL, if the release that it is from is the one to answer from. */
  #find(exchange: Exchange): Prepared | undefined {
    const { method, url = "" } = exchange.request;
    if (method !== "GET" && method !== "HEAD") return undefined;
    const kept = this.#kept?.get(keyOf(url, exchange));
    if (kept === undefined) return undefined;
    const { current, pinned } = this.#context;
    const { prepared, target, release } = kept;
    if (release !== current.get()?.facts.release && (target.release === undefined || !pinned.keeps(release)))
      return undefined;
    exchange.target = target;
    return prepared;
  }

  async #prepare(exchange: Exchange): Promise<Prepared> {
    const refusal = refuse(exchange);
    if (refusal !== undefined) return refusal;
    const { path, request } = exchange.target;
    const fixed = this.#prepareFixed(exchange, decode(path));
    if (fixed !== undefined) return fixed;
    if (request.kind === "redirect") return prepareRedirect(exchange, request.location);
    if (request.kind === "refused") return prepareError(exchange, invalidParameters(request.problems));
    return this.#onRelease(exchange, (release) => this.#prepareFrom(release, exchange, request));
  }

  #prepareFrom(release: Release, exchange: Exchange, request: AnsweredRequest): Prepared | Promise<Prepared> {
    const context = this.#context;
    switch (request.kind) {
      case "history":
        return answers.prepareHistory(exchange, context, release, request);
      case "export":
        return answers.prepareExport(exchange, context, release, request);
      case "summary":
      case "peers":
        return answers.prepareTopic(exchange, context, release, request);
      case "organization":
        return answers.prepareOrganization(exchange, release, request);
      case "names":
        return answers.prepareNames(exchange, release, request);
      case "unknown":
        return answers.prepareSiteFile(exchange, context, release);
    }
  }

  /** Prepares the answer at a path that never changes; undefined for other paths. */
  #prepareFixed(exchange: Exchange, path: string): Prepared | Promise<Prepared> | undefined {
    const { current, clock, readyHours, metrics, readSyncs } = this.#context;
    const briefly = { "Cache-Control": headers.cacheBriefly };
    switch (path) {
      case routes.health:
        return prepareText(exchange, "ok\n", "text/plain");
      case routes.ready: {
        const message = findUnreadiness(current.get()?.facts, clock(), readyHours);
        if (message === undefined) return prepareText(exchange, "ok\n", "text/plain");
        return prepareError(exchange, { code: "not_ready", message });
      }
      case routes.metrics:
        return metrics.format().then(({ type, text }) => prepareText(exchange, text, type));
      case routes.openapi:
        return prepareContent(exchange, openapiContent);
      case routes.status:
        return this.#onRelease(exchange, async ({ facts, report }) =>
          prepareText(exchange, formatStatus(facts, report, clock()), headers.jsonType, briefly),
        );
      case routes.report:
        return this.#onRelease(exchange, async ({ facts, report }) =>
          prepareText(exchange, formatReport(facts, report, await readSyncs()), headers.jsonType, briefly),
        );
      default:
        return undefined;
    }
  }

  /** Prepares on the release that the URL pins, or else on the current one. The release stays open until the work ends. */
  async #onRelease(
    exchange: Exchange,
    work: (release: Release) => Prepared | Promise<Prepared>,
  ): Promise<Prepared> {
    const { release: pinned } = exchange.target;
    const release = await this.#enter(pinned);
    if (release === undefined && pinned === undefined)
      return prepareError(exchange, { code: "not_ready", message: noRelease, retryAfter: 5 });
    if (release === undefined)
      return prepareError(exchange, {
        code: "release_not_found",
        message: "no release with this id is kept",
      });
    exchange.headers = ["X-Release", release.facts.release];
    try {
      const prepared = await work(release);
      if (prepared.isKept) this.#keep(exchange, prepared, release);
      return prepared;
    } finally {
      release.leave();
    }
  }

  async #enter(pinned: string | undefined): Promise<Release | undefined> {
    const current = this.#context.current.get();
    if (pinned !== undefined && pinned !== current?.facts.release) return this.#context.pinned.enter(pinned);
    return current?.enter() ? current : undefined;
  }

  #keep(exchange: Exchange, prepared: Prepared, release: Release): void {
    const { request, target } = exchange;
    this.#kept?.set(keyOf(request.url, exchange), { prepared, target, release: release.facts.release });
  }

  /** Adds what differs from request to request, and reports the answer. */
  #finish(exchange: Exchange, prepared: Prepared): Answer {
    const { request, id } = exchange;
    const { digest, answeredBy, page, body } = prepared;
    const isUnchanged = digest !== undefined && headers.matchesEtag(request.headers["if-none-match"], digest);
    const sent = isUnchanged ? [...prepared.headers] : prepared.headers.concat(prepared.bodyHeaders);
    sent.push("X-Request-Id", id);
    if (prepared.isUntilSync)
      sent.push("Cache-Control", this.#cacheUntilSync(Math.floor(this.#context.clock().getTime() / 1000)));
    if (page !== undefined) {
      const milliseconds = performance.now() - exchange.start;
      const { request, total, plan } = page;
      sent.push("Server-Timing", `${answeredBy};dur=${milliseconds.toFixed(2)}${plan}`);
      if (answeredBy !== undefined && !isWholeFunder(request.filters))
        this.#context.searchLog?.note({ request, path: answeredBy, milliseconds, total });
    }
    const status = isUnchanged ? 304 : prepared.status;
    const report = (bytes: number) => {
      exchange.end();
      reportAnswer(this.#context, exchange, prepared, status, bytes);
    };
    const isEmpty = isUnchanged || request.method === "HEAD";
    if (isStream(body)) void body.sent.then(report);
    else report(isEmpty ? 0 : prepared.bytes);
    return { status, headers: sent, body: isEmpty ? null : body };
  }
}

/** Answers in another encoding have another key, which is no URL. */
function keyOf(url: string | undefined, { acceptsGzip }: Exchange): string {
  return acceptsGzip ? String(url) : ` ${url}`;
}

const openapiContent: Content = {
  type: headers.jsonType,
  body: Buffer.from(openapiText),
  digest: digestBody(Buffer.from(openapiText)),
  isGzipped: false,
};

/** Refuses long URLs and methods other than GET and HEAD; answers OPTIONS. */
function refuse(exchange: Exchange): Prepared | undefined {
  const { method } = exchange.request;
  const { pathname, search } = exchange.target;
  if (pathname.length + search.length > urlLengthMax) return prepareError(exchange, uriTooLong);
  if (method === "GET" || method === "HEAD") return undefined;
  if (method === "OPTIONS") return prepareEmpty(exchange, 204, headers.preflightHeaders);
  return prepareError(exchange, methodNotAllowed(String(method)), { Allow: headers.allowedMethods });
}

function prepareFailure(exchange: Exchange, failure: unknown): Prepared {
  if (failure instanceof Refusal) return prepareError(exchange, failure.error);
  if (failure instanceof ClientGone) return prepareEmpty(exchange, clientGoneStatus);
  const message = "the service failed; the failure was logged";
  return { ...prepareError(exchange, { code: "internal", message }), failure };
}

/** A path decoded once. A path that cannot be decoded is returned unchanged: nothing has such a path. */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
