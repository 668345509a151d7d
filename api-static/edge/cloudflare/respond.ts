// Answers requests from the cache, the bucket or the server, in this order. Invalid requests need none of them.
import {
  changesFolder,
  changesIndexName,
  findChangesFile,
  parseChain,
} from "../../contract/answers/changes.ts";
import * as headers from "../../contract/headers.ts";
import { urlLengthMax } from "../../contract/limits.ts";
import { normalizePath } from "../../contract/query.ts";
import { methodNotAllowed, nothingHere, uriTooLong } from "../../contract/refusals.ts";
import { parseTarget } from "../../contract/request.ts";
import { type BucketFile, readFile, readStored } from "./bucket.ts";
import { redirect, refuse, throughCache } from "./cache.ts";
import { type Plan, planMissing, planTarget } from "./plan.ts";
import type { Host } from "./runtime.ts";
import { askServer, passToServer } from "./server.ts";

type Responding = Response | Promise<Response>;

/** Answers a request as the server does: same status, same body, same caching. */
export async function respond(request: Request, host: Host): Promise<Response> {
  const { pathname: sent, search } = new URL(request.url);
  if (sent.length + search.length > urlLengthMax) return refuse(uriTooLong);
  const pathname = normalizePath(sent);
  const target = parseTarget(pathname, search);
  const { methods } = target;
  if (request.method === "OPTIONS") {
    const all = { ...headers.commonHeaders, ...headers.preflightHeaders(methods) };
    return new Response(null, { status: 204, headers: all });
  }
  if (!methods.split(", ").includes(request.method))
    return refuse(methodNotAllowed(request.method, methods), { Allow: methods });
  if (request.method === "POST") return passToServer(host, request, pathname + search);
  const response = await carryOut(planTarget(target), request, host);
  return request.method === "HEAD" ? new Response(null, response) : response;
}

function carryOut(plan: Plan, request: Request, host: Host): Responding {
  if (plan.by === "error") return refuse(plan.error);
  if (plan.by === "redirect") return redirect(plan.location);
  const { url } = plan;
  const ask = () => askServer(host, request, url);
  if (plan.by === "server")
    return plan.isCached ? throughCache(url, request, host, ask) : passToServer(host, request, url);
  if (plan.by === "part") return streamFile(plan, request, host, () => refuse(nothingHere));
  if (plan.by === "changes")
    return streamFile({ ...plan, cacheControl: headers.cacheForever }, request, host, () =>
      refuseChanges(plan, request, host),
    );
  const otherwise =
    plan.by === "missing"
      ? () => refuse(nothingHere)
      : plan.isElsewhere
        ? ask
        : () => carryOut(planMissing(url), request, host);
  const respondFromBucket = (read: () => Promise<Response | undefined>) => async () => {
    try {
      const found = await read();
      if (found !== undefined) return found;
    } catch (error) {
      host.onFailure(error);
      return ask();
    }
    return otherwise();
  };
  if (plan.location === undefined)
    return throughCache(
      url,
      request,
      host,
      respondFromBucket(() => readStored(host, plan)),
    );
  const { key, location } = plan;
  return respondFromBucket(async () =>
    (await host.bucket.head(host.prefix + key)) ? redirect(location) : undefined,
  )();
}

/** Streams a file from the bucket. If the bucket fails, the server answers. */
async function streamFile(
  file: BucketFile,
  request: Request,
  host: Host,
  otherwise: () => Responding,
): Promise<Response> {
  try {
    return (await readFile(host, file, request)) ?? (await otherwise());
  } catch (error) {
    host.onFailure(error);
    return passToServer(host, request, file.url);
  }
}

/** The bucket's index names the files of changes. If it has no index, the server answers. */
async function refuseChanges({ key, url }: BucketFile, request: Request, host: Host): Promise<Response> {
  const stored = await host.bucket.get(`${host.prefix}${changesFolder}/${changesIndexName}`);
  const chain =
    stored === null ? undefined : parseChain(new TextDecoder().decode(await stored.arrayBuffer()));
  const found = chain && findChangesFile(chain, key.slice(changesFolder.length + 1));
  return found !== undefined && "code" in found ? refuse(found) : passToServer(host, request, url);
}
