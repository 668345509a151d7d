// Owns the way of every request through the server, from Request to Response: what it asks, who answers it, what is sent.
import { type Context, Hono } from "hono";
import { getPath } from "hono/utils/url";
import { csvType } from "../contract/csv.ts";
import { Refusal } from "../contract/errors.ts";
import * as headers from "../contract/headers.ts";
import { urlLengthMax } from "../contract/limits.ts";
import { isWholeFunder, parsePageKey } from "../contract/pageKeys.ts";
import { splitPinned } from "../contract/pinned.ts";
import {
  type ExportRequest,
  type HistoryRequest,
  parseRequest,
  type SummaryRequest,
} from "../contract/request.ts";
import { routes } from "../contract/routes.ts";
import { openapiText } from "../openapi/document.ts";
import { digestBody } from "../release/pageFileFormat.ts";
import { answerHistory } from "../search/answer.ts";
import { ClientGone } from "../search/queue.ts";
import type { Release } from "../search/release.ts";
import type { Exports } from "./answers/export.ts";
import { findUnreadiness, formatStatus, noRelease } from "./answers/health.ts";
import { summarise } from "./answers/summary.ts";
import { resetConnection, streamChunks } from "./http/flow.ts";
import { addHeaders, dropHeaders, reply } from "./http/reply.ts";
import { type Content, cacheOf, sendContent, sendError, sendNow, sendText } from "./http/send.ts";
import type { SearchLog } from "./observe/searchLog.ts";
import { type Watching, watchRequests } from "./observe/watch.ts";
import type { CurrentRelease } from "./releases/currentRelease.ts";
import type { PinnedReleases } from "./releases/pinnedReleases.ts";

/** Never sent, as nobody is there to read it: what logs and counts know a client by that went away (as nginx does). */
const clientGoneStatus = 499;

export type AppContext = Watching & {
  readonly current: Pick<CurrentRelease, "get">;
  readonly pinned: Pick<PinnedReleases, "enter">;
  readonly exports: Exports;
  readonly clock: () => Date;
  /** Hours after its sync during which a release is fresh enough to be ready. */
  readonly readyHours: number;
  /** Told of searches; undefined when they are not logged. */
  readonly searchLog?: Pick<SearchLog, "note"> | undefined;
};

const contract: Content = {
  type: headers.jsonType,
  body: Buffer.from(openapiText),
  digest: digestBody(Buffer.from(openapiText)),
  isGzipped: false,
};

/** The service as a Hono application; `app.fetch(request)` answers without a socket. */
export function createApp(context: AppContext): Hono {
  const app = new Hono({ getPath: (request) => splitPinned(getPath(request)).path });

  app.use(watchRequests(context));
  app.use(async (c, next) => {
    if (c.req.url.length - c.req.url.indexOf("/", "https://".length) > urlLengthMax) {
      const message = `path and query together must be at most ${urlLengthMax} characters`;
      return sendError(c, { code: "uri_too_long", message });
    }
    if (c.req.method === "OPTIONS") {
      addHeaders(c, headers.preflightHeaders);
      return reply(c, null, 204);
    }
    if (c.req.method !== "GET" && c.req.method !== "HEAD") {
      addHeaders(c, { Allow: headers.allowedMethods });
      return sendError(c, {
        code: "method_not_allowed",
        message: `${c.req.method} is not allowed; use GET or HEAD`,
      });
    }
    return next();
  });

  app.get(routes.health, (c) => sendNow(c, "text/plain", "ok\n"));

  app.get(routes.ready, (c) => {
    const reason = findUnreadiness(context.current.get()?.facts, context.clock(), context.readyHours);
    if (reason !== undefined) return sendError(c, { code: "not_ready", message: reason });
    return sendNow(c, "text/plain", "ok\n");
  });

  app.get(routes.metrics, async (c) => {
    const { type, text } = await context.metrics.format();
    return sendNow(c, type, text);
  });

  app.get(routes.openapi, (c) => sendContent(c, context.clock, contract));

  app.get(routes.status, (c) =>
    onRelease(c, context, async (release) => {
      addHeaders(c, { "Cache-Control": headers.cacheBriefly });
      return sendText(c, headers.jsonType, formatStatus(release.facts, context.clock()), 200);
    }),
  );

  app.get("*", (c) => {
    const { prefix, path, search } = c.get("target");
    const fromKey = search === "" ? parsePageKey(decodePath(path).slice(1)) : undefined;
    const asked = fromKey ?? parseRequest(path, search);
    switch (asked.kind) {
      case "history":
        return onRelease(c, context, (release) => sendHistory(c, context, release, asked));
      case "export":
        return onRelease(c, context, (release) => sendExport(c, context, release, asked));
      case "summary":
        return onRelease(c, context, (release) => sendSummary(c, context, release, asked));
      case "redirect":
        addHeaders(c, {
          "Cache-Control": "public, max-age=86400",
          "Content-Length": "0",
          Location: prefix + asked.location,
        });
        return reply(c, null, 308);
      case "refused":
        return sendError(c, {
          code: "invalid_parameter",
          message: asked.problems.map(({ message }) => message).join("; "),
          problems: asked.problems,
        });
      case "unknown":
        return onRelease(c, context, (release) => sendSiteFile(c, context, release, path));
    }
  });

  app.onError((error, c) => {
    if (error instanceof Refusal) return sendError(c, error.error);
    if (error instanceof ClientGone) return new Response(null, { status: clientGoneStatus });
    dropHeaders(c, ["ETag", "Link", "Content-Encoding"]); // of the content that failed
    return sendError(c, { code: "internal", message: "the service failed; the failure was logged" });
  });
  return app;
}

/** A path decoded once, as a host of files does it; as it is where that cannot be. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray "%": no page's path either way
  }
}

/** Does work on the release that the URL pins, else on the current one; it stays open until the work has ended. */
async function onRelease(
  c: Context,
  context: AppContext,
  work: (release: Release) => Promise<Response>,
): Promise<Response> {
  const { release: pinned } = c.get("target");
  const release = await enterRelease(context, pinned);
  if (release === undefined && pinned === undefined)
    return sendError(c, { code: "not_ready", message: noRelease, retryAfter: 5 });
  if (release === undefined)
    return sendError(c, { code: "release_not_found", message: "no release with this id is kept" });
  addHeaders(c, { "X-Release": release.facts.release });
  try {
    return await work(release);
  } finally {
    release.leave();
  }
}

async function enterRelease(context: AppContext, pinned: string | undefined): Promise<Release | undefined> {
  const current = context.current.get();
  if (pinned !== undefined && pinned !== current?.facts.release) return context.pinned.enter(pinned);
  return current?.enter() ? current : undefined;
}

/** Counts a search of the client; returns what is aborted when the client goes away. */
function admitSearch(c: Context, { clients }: AppContext): AbortSignal {
  clients.admitSearch(c.env?.incoming);
  return c.req.raw.signal;
}

async function sendHistory(
  c: Context,
  context: AppContext,
  release: Release,
  request: HistoryRequest,
): Promise<Response> {
  const start = performance.now();
  const answer = await answerHistory(release, request, () => admitSearch(c, context));
  if (answer === undefined) return sendFunderNotFound(c, release, request.filters.funderEin);
  c.set("answeredBy", answer.path);
  const milliseconds = performance.now() - start;
  if (!isWholeFunder(request.filters))
    context.searchLog?.note({ request, path: answer.path, milliseconds, total: answer.page.total });
  const described = answer.plan === undefined ? "" : `;desc="${answer.plan}"`;
  addHeaders(c, {
    "Server-Timing": `${answer.path};dur=${milliseconds.toFixed(2)}${described}`,
    Link: headers.formatLinks(request, answer.page, c.get("target").prefix),
  });
  return sendContent(c, context.clock, { ...answer, type: headers.jsonType });
}

/** Sends all grants that meet the filters as a file, made while it is sent. */
async function sendExport(
  c: Context,
  context: AppContext,
  release: Release,
  request: ExportRequest,
): Promise<Response> {
  const opened = await context.exports.open(release, request, () => admitSearch(c, context));
  if (opened === undefined) return sendFunderNotFound(c, release, request.filters.funderEin);
  const { path, fileName, chunks, close } = opened;
  c.set("answeredBy", path);
  const isPacked = headers.acceptsGzip(c.req.header("Accept-Encoding"));
  addHeaders(c, {
    "Cache-Control": cacheOf(c, context.clock),
    Vary: "Accept-Encoding",
    "Content-Type": csvType,
    "Content-Disposition": `attachment; filename="${fileName}"`,
  });
  if (isPacked) addHeaders(c, { "Content-Encoding": "gzip" });
  if (c.req.method === "HEAD") {
    await close();
    return reply(c, null);
  }
  const log = (error: unknown) => {
    if (c.req.raw.signal.aborted) return; // nobody waits for the rest
    context.log.error(
      { request_id: c.get("requestId"), path: c.req.path, err: error },
      "stopped in the middle",
    );
  };
  const patience = context.exports.bounds.seconds * 1000;
  const { promise: sent, resolve } = Promise.withResolvers<number>();
  c.set("sent", sent);
  const reset = () => resetConnection(c);
  const forget = context.exports.keepReset(reset);
  const end = (bytes: number) => {
    forget();
    resolve(bytes);
    return close();
  };
  return reply(c, streamChunks(chunks, isPacked, { close: end, log, reset, patience }));
}

async function sendSummary(
  c: Context,
  context: AppContext,
  release: Release,
  request: SummaryRequest,
): Promise<Response> {
  const body = await summarise(release, request, () => admitSearch(c, context));
  c.set("answeredBy", "search");
  if (body !== undefined)
    return sendContent(c, context.clock, {
      type: headers.jsonType,
      digest: digestBody(body),
      body,
      isGzipped: false,
    });
  if (request.of === "funder") return sendFunderNotFound(c, release, request.ein);
  const message = `release ${release.facts.release} has no grants to recipient ${request.ein}`;
  return sendError(c, { code: "recipient_not_found", message });
}

function sendFunderNotFound(c: Context, release: Release, ein: string | undefined): Response {
  const message = `release ${release.facts.release} has no grants of funder ${ein}`;
  return sendError(c, { code: "funder_not_found", message });
}

async function sendSiteFile(
  c: Context,
  context: AppContext,
  release: Release,
  path: string,
): Promise<Response> {
  const file = release.site.get(path);
  if (file === undefined) return sendError(c, { code: "not_found", message: "nothing exists at this path" });
  return sendContent(c, context.clock, { ...file, isGzipped: false });
}
