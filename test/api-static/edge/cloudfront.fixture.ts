// Runs the CloudFront function, and answers as the documented distribution does: from the bucket first, else from the server.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { buildFunction } from "../../../api-static/edge/build.ts";
import { programPath } from "../../programs.ts";
import type { RawAnswer } from "../server/socket.fixture.ts";
import { readPublished } from "./published.fixture.ts";

/** What CloudFront knows of a request. */
export type Viewed = {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly acceptEncoding?: string | undefined;
};

/** Where CloudFront sends a request after the function, or the function's own response. */
export type Rewritten = {
  readonly origin: "pages" | "server" | "function";
  readonly uri: string;
  readonly hasQuery: boolean;
  readonly status?: number;
  readonly body?: string;
};

const importLine = /^import (\w+) from\s?"cloudfront";/;

/** Runs the built function on one request; works in Node.js and in njs, so it is plain JavaScript of ES 5. */
const harness = `
function view(one) {
  selected = "pages";
  var at = one.path.indexOf("?");
  var query = at < 0 ? "" : one.path.slice(at + 1);
  var headers = one.acceptEncoding === undefined ? {} : { "accept-encoding": { value: one.acceptEncoding } };
  var request = handler({ request: {
    method: one.method,
    uri: at < 0 ? one.path : one.path.slice(0, at),
    querystring: query === "" ? {} : { some: { value: "text" } },
    headers: headers,
    rawQueryString: function () { return query; }
  } });
  if (request.statusCode) return { origin: "function", status: request.statusCode, body: request.body };
  return { origin: selected, uri: request.uri, hasQuery: JSON.stringify(request.querystring) !== "{}" };
}`;

/** The function and the harness as one script, in which the function's import is an object. */
async function formatScript(): Promise<string> {
  const code = await buildFunction();
  const [, name] = importLine.exec(code) ?? [];
  if (name === undefined) throw new Error("the function must start with its import");
  const module = `var selected; var ${name} = { selectRequestOriginById: function (id) { selected = id; } };`;
  return `${module}\n${code.replace(importLine, "")}\n${harness}\n`;
}

/** The function in a context of Node.js that has only what the language has. */
export async function loadFunction(): Promise<(viewed: Viewed) => Rewritten> {
  const view = runInNewContext(`${await formatScript()};view`) as (viewed: Viewed) => Rewritten;
  return (viewed) => ({ ...view(viewed) });
}

/** Runs the function in njs on many requests. @throws Error if njs refuses the script */
export async function runInNjs(viewed: readonly Viewed[]): Promise<Rewritten[]> {
  const folder = mkdtempSync(join(tmpdir(), "njs-"));
  try {
    const file = join(folder, "run.js");
    const calls = `console.log(JSON.stringify(${JSON.stringify(viewed)}.map(view)));`;
    writeFileSync(file, `${await formatScript()}${calls}\n`);
    const { status, stdout, stderr } = spawnSync("njs", [file], {
      encoding: "utf8",
      env: { PATH: programPath },
    });
    if (status !== 0) throw new Error(`njs ended with ${status}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as Rewritten[];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type AskServer = (path: string, headers: Record<string, string>) => Promise<RawAnswer>;

/** Answers a GET as the distribution does, without its cache. */
export async function askDistribution(
  rewrite: (viewed: Viewed) => Rewritten,
  folder: string,
  path: string,
  headers: Record<string, string>,
  askServer: AskServer,
): Promise<RawAnswer & { readonly isFromBucket: boolean }> {
  const { origin, uri, hasQuery } = rewrite({
    method: "GET",
    path,
    acceptEncoding: headers["Accept-Encoding"],
  });
  const query = hasQuery ? path.slice(path.indexOf("?")) : "";
  const object = origin === "pages" ? await readPublished(folder, decodeKey(uri)) : undefined;
  if (object === undefined) return { ...(await askServer(uri + query, headers)), isFromBucket: false };
  const { body, contentType, contentEncoding, cacheControl } = object;
  return {
    status: 200,
    headers: {
      "content-type": contentType,
      "cache-control": cacheControl,
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
    },
    body,
    isFromBucket: true,
  };
}

/** S3 decodes a path once; a path that it cannot decode has no object. */
function decodeKey(uri: string): string {
  try {
    return decodeURIComponent(uri.replaceAll("+", " ").slice(1));
  } catch {
    return "";
  }
}
