// Handles every HTTP request, from its URL to a response.
import { type Context, Hono, type Next } from "hono";
import { getPath } from "hono/utils/url";
import { Refusal } from "../contract/errors.ts";
import * as headers from "../contract/headers.ts";
import { urlLengthMax } from "../contract/limits.ts";
import { type NamesRequest, parseNamesKey } from "../contract/names.ts";
import { parsePageKey } from "../contract/pageKeys.ts";
import { splitPinned } from "../contract/pinned.ts";
import { type HistoryRequest, parseRequest } from "../contract/request.ts";
import { routes } from "../contract/routes.ts";
import type { SyncEntry } from "../contract/syncs.ts";
import { openapiText } from "../openapi/document.ts";
import { digestBody } from "../release/pageFileFormat.ts";
import { formatStatus } from "../release/status.ts";
import { ClientGone } from "../search/queue.ts";
import type { Release } from "../search/release.ts";
import { findUnreadiness, formatReport, noRelease } from "./answers/health.ts";
import {
  type ResponseContext,
  redirect,
  respondWithExport,
  respondWithHistory,
  respondWithNames,
  respondWithOrganization,
  respondWithSiteFile,
  respondWithTopic,
} from "./answers/respond.ts";
import { removeHeaders, respond, setHeaders } from "./http/response.ts";
import { type Content, sendContent, sendError, sendText, sendUncached } from "./http/send.ts";
import { type WatchContext, watchRequests } from "./observe/watch.ts";
import type { CurrentRelease } from "./releases/currentRelease.ts";
import type { PinnedReleases } from "./releases/pinnedReleases.ts";

/** Status of requests whose client closed its connection, in the log and the metrics. It is never sent; nginx uses the same number. */
const clientGoneStatus = 499;

export type AppContext = WatchContext &
  ResponseContext & {
    readonly current: Pick<CurrentRelease, "get">;
    readonly pinned: Pick<PinnedReleases, "enter">;
    /** Hours after its sync during which a release counts as ready. */
    readonly readyHours: number;
    /** Reads the history of syncs, newest first. */
    readonly readSyncs: () => Promise<readonly SyncEntry[]>;
  };

const openapiContent: Content = {
  type: headers.jsonType,
  body: Buffer.from(openapiText),
  digest: digestBody(Buffer.from(openapiText)),
  isGzipped: false,
};

/** The service as a Hono application; `app.fetch(request)` responds without a socket. */
export function createApp(context: AppContext): Hono {
  const app = new Hono({ getPath: (request) => splitPinned(getPath(request)).path });
  app.use(watchRequests(context));
  app.use(checkRequest);
  addOperatorRoutes(app, context);
  app.get("*", (c) => respondToPath(c, context));
  app.onError((error, c) => {
    if (error instanceof Refusal) return sendError(c, error.error);
    if (error instanceof ClientGone) return new Response(null, { status: clientGoneStatus });
    removeHeaders(c, ["ETag", "Link", "Content-Encoding"]); // of the content that failed
    return sendError(c, { code: "internal", message: "the service failed; the failure was logged" });
  });
  return app;
}

/** Rejects long URLs and methods other than GET and HEAD; answers OPTIONS. */
async function checkRequest(c: Context, next: Next): Promise<Response | undefined> {
  if (c.req.url.length - c.req.url.indexOf("/", "https://".length) > urlLengthMax) {
    const message = `path and query together must be at most ${urlLengthMax} characters`;
    return sendError(c, { code: "uri_too_long", message });
  }
  if (c.req.method === "OPTIONS") {
    setHeaders(c, headers.preflightHeaders);
    return respond(c, null, 204);
  }
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    setHeaders(c, { Allow: headers.allowedMethods });
    const message = `${c.req.method} is not allowed; use GET or HEAD`;
    return sendError(c, { code: "method_not_allowed", message });
  }
  await next();
  return undefined;
}

function addOperatorRoutes(app: Hono, context: AppContext): void {
  app.get(routes.health, (c) => sendUncached(c, "text/plain", "ok\n"));

  app.get(routes.ready, (c) => {
    const reason = findUnreadiness(context.current.get()?.facts, context.clock(), context.readyHours);
    if (reason !== undefined) return sendError(c, { code: "not_ready", message: reason });
    return sendUncached(c, "text/plain", "ok\n");
  });

  app.get(routes.metrics, async (c) => {
    const { type, text } = await context.metrics.format();
    return sendUncached(c, type, text);
  });

  app.get(routes.openapi, (c) => sendContent(c, context.clock, openapiContent));

  const sendBriefly = (c: Context, body: string) => {
    setHeaders(c, { "Cache-Control": headers.cacheBriefly });
    return sendText(c, headers.jsonType, body, 200);
  };

  app.get(routes.status, (c) =>
    onRelease(c, context, async ({ facts, report }) =>
      sendBriefly(c, formatStatus(facts, report, context.clock())),
    ),
  );

  app.get(routes.report, (c) =>
    onRelease(c, context, async ({ facts, report }) =>
      sendBriefly(c, formatReport(facts, report, await context.readSyncs())),
    ),
  );
}

/** Responds to an operation on grants or organizations, a page key, a file of names or a path of the site. */
async function respondToPath(c: Context, context: AppContext): Promise<Response> {
  const { path, search } = c.get("target");
  const request =
    (search === "" ? parseKey(decodePath(path).slice(1)) : undefined) ?? parseRequest(path, search);
  switch (request.kind) {
    case "history":
      return onRelease(c, context, (release) => respondWithHistory(c, context, release, request));
    case "export":
      return onRelease(c, context, (release) => respondWithExport(c, context, release, request));
    case "summary":
    case "peers":
      return onRelease(c, context, (release) => respondWithTopic(c, context, release, request));
    case "organization":
      return onRelease(c, context, (release) => respondWithOrganization(c, context, release, request));
    case "names":
      return onRelease(c, context, (release) => respondWithNames(c, context, release, request));
    case "redirect":
      return redirect(c, request.location);
    case "refused":
      return sendError(c, {
        code: "invalid_parameter",
        message: request.problems.map(({ message }) => message).join("; "),
        problems: request.problems,
      });
    case "unknown":
      return onRelease(c, context, (release) => respondWithSiteFile(c, context, release, path));
  }
}

/** The request of a page key or of the key of a file of names. */
function parseKey(key: string): HistoryRequest | NamesRequest | undefined {
  return parsePageKey(key) ?? parseNamesKey(key);
}

/** A path decoded once, as file servers do it. A path that cannot be decoded is returned unchanged: no page has such a path. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Runs work on the release that the URL pins, or else on the current one. The release stays open until the work ends. */
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
  setHeaders(c, { "X-Release": release.facts.release });
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
