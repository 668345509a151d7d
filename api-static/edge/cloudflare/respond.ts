// Answers requests from the cache, the bucket or the server, in this order. Invalid requests need none of them.
import { changesFolder, changesIndexName, findChangesFile, parseChain } from "../../contract/changes.ts";
import * as headers from "../../contract/headers.ts";
import { urlLengthMax } from "../../contract/limits.ts";
import { normalizePath } from "../../contract/query.ts";
import { methodNotAllowed, nothingHere, uriTooLong } from "../../contract/refusals.ts";
import { parseTarget } from "../../contract/request.ts";
import { missingPage } from "../../contract/sitePaths.ts";
import { readFile, readMissingPage, readPage, readSiteFile } from "./bucket.ts";
import { throughCache } from "./cache.ts";
import { type Plan, planMissing, planTarget } from "./plan.ts";
import { redirect, refuse } from "./refuse.ts";
import type { Host } from "./runtime.ts";
import { askServer, passToServer } from "./server.ts";

/** Answers a request as the server does: same status, same body, same caching. */
export async function respond(request: Request, host: Host): Promise<Response> {
  const { pathname: sent, search } = new URL(request.url);
  if (sent.length + search.length > urlLengthMax) return refuse(uriTooLong);
  const pathname = normalizePath(sent);
  const target = parseTarget(pathname, search);
  const { methods } = target;
  if (request.method === "OPTIONS") return preflight(methods);
  if (!methods.split(", ").includes(request.method))
    return refuse(methodNotAllowed(request.method, methods), { Allow: methods });
  if (request.method === "POST") return passToServer(host, request, pathname + search);
  const response = await carryOut(planTarget(target), request, host);
  return request.method === "HEAD" ? new Response(null, response) : response;
}

function preflight(methods: string): Response {
  const all = { ...headers.commonHeaders, ...headers.preflightHeaders(methods) };
  return new Response(null, { status: 204, headers: all });
}

function carryOut(plan: Plan, request: Request, host: Host): Response | Promise<Response> {
  switch (plan.by) {
    case "error":
      return refuse(plan.error);
    case "redirect":
      return redirect(plan.location);
    case "missing":
      return throughCache(missingPage, request, host, () =>
        fromBucket(request, host, missingPage, {
          read: () => readMissingPage(host, plan.key),
          otherwise: () => refuse(nothingHere),
        }),
      );
    case "page":
      return throughCache(plan.url, request, host, () =>
        fromBucket(request, host, plan.url, {
          read: () => readPage(host, plan),
          otherwise: () => askServer(host, request, plan.url),
        }),
      );
    case "site":
      return respondWithSiteFile(plan, request, host);
    case "part":
      return streamFromBucket(plan, request, host, () => refuse(nothingHere));
    case "changes":
      return respondWithChanges(plan, request, host);
    case "server":
      if (!plan.isCached) return passToServer(host, request, plan.url);
      return throughCache(plan.url, request, host, () => askServer(host, request, plan.url));
  }
}

type Streamed = { readonly key: string; readonly url: string; readonly cacheControl?: string };

/** Streams a file from the bucket. If the bucket fails, the server answers. */
async function streamFromBucket(
  { key, url, cacheControl }: Streamed,
  request: Request,
  host: Host,
  otherwise: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return (await readFile(host, key, request, cacheControl)) ?? (await otherwise());
  } catch (error) {
    host.onFailure(error);
    return passToServer(host, request, url);
  }
}

/** The bucket's index names its files. If it has no index, the server answers. */
function respondWithChanges(
  { key, url }: Extract<Plan, { by: "changes" }>,
  request: Request,
  host: Host,
): Promise<Response> {
  const name = key.slice(changesFolder.length + 1);
  if (name !== changesIndexName)
    return streamFromBucket({ key, url, cacheControl: headers.cacheForever }, request, host, async () => {
      const stored = await host.bucket.get(`${host.prefix}${changesFolder}/${changesIndexName}`);
      const chain =
        stored === null ? undefined : parseChain(new TextDecoder().decode(await stored.arrayBuffer()));
      const found = chain && findChangesFile(chain, name);
      return found !== undefined && "code" in found ? refuse(found) : passToServer(host, request, url);
    });
  return throughCache(url, request, host, () =>
    fromBucket(request, host, url, {
      read: () => readSiteFile(host, key, url, headers.cacheBriefly),
      otherwise: () => askServer(host, request, url),
    }),
  );
}

function respondWithSiteFile(
  { key, url, location, isElsewhere }: Extract<Plan, { by: "site" }>,
  request: Request,
  host: Host,
): Promise<Response> {
  const otherwise = () =>
    isElsewhere ? askServer(host, request, url) : carryOut(planMissing(url), request, host);
  if (location !== undefined) {
    const read = async () => ((await host.bucket.head(host.prefix + key)) ? redirect(location) : undefined);
    return fromBucket(request, host, url, { read, otherwise });
  }
  const read = () => readSiteFile(host, key, url);
  return throughCache(url, request, host, () => fromBucket(request, host, url, { read, otherwise }));
}

type BucketRead = {
  /** Reads the response; undefined if the bucket does not have it. */
  readonly read: () => Promise<Response | undefined>;
  /** Responds if the bucket does not have it. */
  readonly otherwise: () => Response | Promise<Response>;
};

/** Responds from the bucket. If the bucket fails, the server answers. */
async function fromBucket(
  request: Request,
  host: Host,
  url: string,
  { read, otherwise }: BucketRead,
): Promise<Response> {
  try {
    const found = await read();
    if (found !== undefined) return found;
  } catch (error) {
    host.onFailure(error);
    return askServer(host, request, url);
  }
  return otherwise();
}
