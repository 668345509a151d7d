// Serves buckets from memory by S3's protocol, with conditional writes, uploads in parts, paged listings and planted faults.
import { createHash, hash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An object of the store. */
export type StoreObject = {
  readonly body: Buffer;
  readonly etag: string;
  readonly modifiedAt: Date;
  /** Content-Type, Content-Encoding, Cache-Control and x-amz-meta-… as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
};

/** A request that the store answered. */
export type StoreRequest = { readonly method: string; readonly key: string; readonly query: string };

/**
 * What goes wrong: the store is busy; the connection breaks before the request is done; it breaks after that, so that the
 * response is lost; the response's body is cut off.
 */
export type Fault = "busy" | "reset" | "lost" | "truncated";

/** Sent with every request of the tests. */
export const testKeys = {
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "testtest",
  AWS_REGION: "us-east-1",
};

const keptHeaders = /^(content-type|content-encoding|cache-control|x-amz-meta-.*)$/;

type Upload = {
  readonly key: string;
  readonly headers: StoreObject["headers"];
  readonly parts: Map<number, Buffer>;
};

/** A store of one bucket, at `http://127.0.0.1:‹port›`. */
export class Store {
  readonly objects = new Map<string, StoreObject>();
  readonly uploads = new Map<string, Upload>();
  readonly requests: StoreRequest[] = [];
  /** Decides what goes wrong with a request. */
  faultOf: (request: StoreRequest) => Fault | undefined = () => undefined;
  /** Called before a request changes or reads an object. */
  onRequest: (request: StoreRequest) => void = () => {};
  /** Objects of one page of a listing. */
  pageSize = 1000;
  readonly bucket = "test-bucket";
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
  }

  static async start(): Promise<Store> {
    const store = new Store();
    await new Promise<void>((resolve) => store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings that lead commands to the store. */
  get environment(): Record<string, string> {
    return { ...testKeys, AWS_ENDPOINT_URL_S3: this.endpoint };
  }

  /** Number of requests by method and whether they are listings, e.g., { PUT: 3, LIST: 1 }. */
  countRequests(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { method, query } of this.requests) {
      const name = query.includes("list-type") ? "LIST" : method;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  put(key: string, body: Buffer, headers: StoreObject["headers"] = {}): StoreObject {
    const object = { body, headers, etag: hash("md5", body), modifiedAt: new Date() };
    this.objects.set(key, object);
    return object;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", "http://store");
    const [, bucket = "", ...rest] = url.pathname.split("/");
    const asked = {
      method: request.method ?? "",
      key: decodeURIComponent(rest.join("/")),
      query: url.search,
    };
    this.requests.push(asked);
    this.onRequest(asked);
    const fault = this.faultOf(asked);
    if (fault === "reset") return request.socket.destroy().destroyed;
    if (fault === "busy") return sendError(response, 503, "SlowDown");
    if (!/Credential=test\//.test(request.headers.authorization ?? ""))
      return sendError(response, 403, "InvalidAccessKeyId");
    const digest = String(request.headers["x-amz-content-sha256"] ?? "");
    if (/^[0-9a-f]{64}$/.test(digest) && digest !== hash("sha256", body))
      return sendError(response, 400, "XAmzContentSHA256Mismatch");
    if (bucket !== this.bucket) return sendError(response, 404, "NoSuchBucket");
    if (fault === "lost") {
      this.#handle(asked, url, request, body, silent);
      return request.socket.destroy().destroyed;
    }
    const send = fault === "truncated" ? cutter(response) : sender(response);
    return this.#handle(asked, url, request, body, send);
  }

  #handle(
    { method, key }: StoreRequest,
    url: URL,
    request: IncomingMessage,
    body: Buffer,
    send: Send,
  ): boolean {
    const query = url.searchParams;
    if (query.has("list-type")) return this.#list(query, send);
    if (query.has("uploads") && method === "GET") return this.#listUploads(query.get("prefix") ?? "", send);
    if (query.has("uploads")) return this.#startUpload(key, request, send);
    if (query.has("uploadId")) return this.#continueUpload(method, key, query, body, send);
    if (method === "PUT") return this.#put(key, request, body, send);
    if (method === "DELETE") {
      this.objects.delete(key);
      return send(204, {}, Buffer.alloc(0));
    }
    return this.#get(method, key, request, send);
  }

  #put(key: string, request: IncomingMessage, body: Buffer, send: Send): boolean {
    const existing = this.objects.get(key);
    const ifMatch = request.headers["if-match"];
    if (request.headers["if-none-match"] === "*" && existing !== undefined)
      return send(412, {}, errorBody("PreconditionFailed"));
    if (ifMatch !== undefined && existing === undefined) return send(404, {}, errorBody("NoSuchKey"));
    if (ifMatch !== undefined && unquote(ifMatch) !== existing?.etag)
      return send(412, {}, errorBody("PreconditionFailed"));
    const { etag } = this.put(key, body, keepHeaders(request));
    return send(200, { ETag: `"${etag}"` }, Buffer.alloc(0));
  }

  #get(method: string, key: string, request: IncomingMessage, send: Send): boolean {
    const object = this.objects.get(key);
    const isHead = method === "HEAD";
    if (object === undefined) return send(404, {}, isHead ? Buffer.alloc(0) : errorBody("NoSuchKey"));
    const ifMatch = request.headers["if-match"];
    if (ifMatch !== undefined && unquote(ifMatch) !== object.etag)
      return send(412, {}, errorBody("PreconditionFailed"));
    const headers = {
      ...object.headers,
      ETag: `"${object.etag}"`,
      "Last-Modified": object.modifiedAt.toUTCString(),
      "Content-Length": String(object.body.length),
    };
    return send(200, headers, isHead ? Buffer.alloc(0) : object.body);
  }

  #list(query: URLSearchParams, send: Send): boolean {
    const prefix = query.get("prefix") ?? "";
    const after = Buffer.from(query.get("continuation-token") ?? "", "hex").toString();
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, this.pageSize);
    const isTruncated = keys.length > page.length;
    const contents = page.map((key) => {
      const { etag, body, modifiedAt } = this.objects.get(key) as StoreObject;
      return `<Contents><Key>${escapeXml(key)}</Key><LastModified>${modifiedAt.toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${body.length}</Size></Contents>`;
    });
    const token = Buffer.from(page.at(-1) ?? "").toString("hex");
    const next = isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : "";
    return sendXml(
      send,
      "ListBucketResult",
      `<IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join("")}`,
    );
  }

  #listUploads(prefix: string, send: Send): boolean {
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const xml = found.map(
      ([id, { key }]) => `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    return sendXml(send, "ListMultipartUploadsResult", xml.join(""));
  }

  #startUpload(key: string, request: IncomingMessage, send: Send): boolean {
    const id = randomUUID();
    this.uploads.set(id, { key, headers: keepHeaders(request), parts: new Map() });
    return sendXml(send, "InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
  }

  #continueUpload(method: string, key: string, query: URLSearchParams, body: Buffer, send: Send): boolean {
    const id = query.get("uploadId") ?? "";
    const upload = this.uploads.get(id);
    if (upload?.key !== key) return send(404, {}, errorBody("NoSuchUpload"));
    if (method === "PUT") {
      upload.parts.set(Number(query.get("partNumber")), body);
      return send(200, { ETag: `"${hash("md5", body)}"` }, Buffer.alloc(0));
    }
    this.uploads.delete(id);
    if (method === "DELETE") return send(204, {}, Buffer.alloc(0));
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, n]) =>
      Number(n),
    );
    const parts = numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0));
    const digests = createHash("md5");
    for (const part of parts) digests.update(hash("md5", part, "buffer"));
    const etag = `${digests.digest("hex")}-${parts.length}`;
    this.objects.set(key, {
      body: Buffer.concat(parts),
      etag,
      modifiedAt: new Date(),
      headers: upload.headers,
    });
    return sendXml(send, "CompleteMultipartUploadResult", `<ETag>&quot;${etag}&quot;</ETag>`);
  }
}

/** Sends a response; returns true. */
type Send = (status: number, headers: Record<string, string>, body: Buffer) => boolean;

const silent: Send = () => true;

function sender(response: ServerResponse): Send {
  return (status, headers, body) => response.writeHead(status, headers).end(body).writableEnded;
}

/**
 * Plants faults, each kind in turn, in the first `times` arrivals of every request. Counting a request's own arrivals bounds
 * its attempts, in whatever order requests arrive.
 */
export function failFirst(times: number, faults: readonly Fault[]): Store["faultOf"] {
  const arrivals = new Map<string, number>();
  let planted = 0;
  return ({ method, key, query }) => {
    const request = `${method} ${key}${query}`;
    const before = arrivals.get(request) ?? 0;
    arrivals.set(request, before + 1);
    return before < times ? faults[planted++ % faults.length] : undefined;
  };
}

/** Announces the whole body, sends half of it and breaks the connection. */
function cutter(response: ServerResponse): Send {
  return (status, headers, body) => {
    if (body.length < 2) return response.writeHead(status, headers).end(body).writableEnded;
    response.writeHead(status, { ...headers, "Content-Length": String(body.length) });
    return response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  };
}

function sendError(response: ServerResponse, status: number, code: string): boolean {
  return response.writeHead(status, { "Content-Type": "application/xml" }).end(errorBody(code)).writableEnded;
}

function errorBody(code: string): Buffer {
  return Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function sendXml(send: Send, name: string, content: string): boolean {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`;
  return send(200, { "Content-Type": "application/xml" }, Buffer.from(xml));
}

function keepHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([name]) => keptHeaders.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function unquote(etag: string): string {
  return etag.replace(/^"|"$/g, "");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
