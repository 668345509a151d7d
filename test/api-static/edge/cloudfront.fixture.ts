// Runs the CloudFront function, and answers as the documented distribution does: from the bucket first, else from the server.
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { buildFunction } from "../../../api-static/edge/build.ts";
import { programPath } from "../../programs.ts";
import type { RawAnswer } from "../server/socket.fixture.ts";
import { type PublishedObject, readPublished } from "./published.fixture.ts";
import { readTemplate } from "./template.fixture.ts";

/** A request as CloudFront describes it. */
export type Viewed = {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  readonly acceptEncoding?: string | undefined;
};

/** Where CloudFront sends a request after the function. */
export type Rewritten = {
  readonly origin: "pages" | "server";
  readonly uri: string;
  readonly hasQuery: boolean;
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

/** The function in a context of Node.js with nothing but the language. */
export async function loadFunction(): Promise<(viewed: Viewed) => Rewritten> {
  const view = runInNewContext(`${await formatScript()};view`) as (viewed: Viewed) => Rewritten;
  return (viewed) => ({ ...view(viewed) });
}

/** Runs the function in njs on many requests. @throws Error if njs refuses the script */
export async function runInNjs(viewed: readonly Viewed[]): Promise<Rewritten[]> {
  const folder = mkdtempSync(join(tmpdir(), "njs-"));
  try {
    const file = join(folder, "run.js");
    // njs cuts a line of output at 4 KB, so each request has a line.
    const each = "function (one) { console.log(JSON.stringify(view(one))); }";
    const calls = `${JSON.stringify(viewed)}.forEach(${each});`;
    writeFileSync(file, `${await formatScript()}${calls}\n`);
    const { status, stdout, stderr } = spawnSync("njs", [file], {
      encoding: "utf8",
      env: { PATH: programPath },
    });
    if (status !== 0) throw new Error(`njs ended with ${status}: ${stdout}${stderr}`);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Rewritten);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type AskServer = (path: string, headers: Record<string, string>) => Promise<RawAnswer>;

type ViewedHeaders = Record<string, { value: string }>;

/** Answers GET requests as the documented distribution does, without its cache. */
export class Distribution {
  readonly #rewrite: (viewed: Viewed) => Rewritten;
  readonly #addLinks: (event: { response: { headers: ViewedHeaders } }) => { headers: ViewedHeaders };
  readonly #folder: string;
  readonly #askServer: AskServer;
  /** Answers from the bucket so far. */
  fromBucket = 0;

  private constructor(
    rewrite: (viewed: Viewed) => Rewritten,
    linkCode: string,
    folder: string,
    askServer: AskServer,
  ) {
    this.#rewrite = rewrite;
    this.#addLinks = runInNewContext(`${linkCode};handler`);
    this.#folder = folder;
    this.#askServer = askServer;
  }

  /** @param folder of the published files */
  static async create(folder: string, askServer: AskServer): Promise<Distribution> {
    const { template } = await readTemplate();
    const { FunctionCode } = template.Resources.LinkFunction.Properties;
    return new Distribution(await loadFunction(), FunctionCode, folder, askServer);
  }

  async ask(path: string, headers: Record<string, string>): Promise<RawAnswer & { isFromBucket: boolean }> {
    const acceptEncoding = headers["Accept-Encoding"];
    const { origin, uri, hasQuery } = this.#rewrite({ method: "GET", path, acceptEncoding });
    const query = hasQuery ? path.slice(path.indexOf("?")) : "";
    const object = origin === "pages" ? await readPublished(this.#folder, decodeKey(uri)) : undefined;
    const isFromBucket = object !== undefined;
    const answer = isFromBucket
      ? answerFrom(object, headers["If-None-Match"])
      : await this.#askServer(uri + query, headers);
    if (isFromBucket) this.fromBucket += 1;
    return { ...answer, headers: this.#withLinks(answer), isFromBucket };
  }

  /** CloudFront runs no function on the responses to a viewer that are errors. */
  #withLinks({ status, headers }: RawAnswer): RawAnswer["headers"] {
    if (status >= 400) return headers;
    const viewed = Object.entries(headers).map(([name, value]) => [name, { value: String(value) }]);
    const { link } = this.#addLinks({ response: { headers: Object.fromEntries(viewed) } }).headers;
    return link === undefined ? headers : { ...headers, link: link.value };
  }
}

/** The answer of S3. */
function answerFrom(object: PublishedObject, ifNoneMatch: string | undefined): RawAnswer {
  const { body, contentType, contentEncoding, cacheControl, metadata = {} } = object;
  const etag = `"${hash("md5", body, "hex")}"`;
  const stored = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
  const isKnown = ifNoneMatch === etag;
  return {
    status: isKnown ? 304 : 200,
    headers: {
      etag,
      "content-type": contentType,
      "cache-control": cacheControl,
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
      ...Object.fromEntries(stored),
    },
    body: isKnown ? Buffer.alloc(0) : body,
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
