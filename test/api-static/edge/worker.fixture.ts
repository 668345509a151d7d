// Runs the Worker in Cloudflare's own runtime, with a bucket of a release's public files.
import { Miniflare } from "miniflare";
import { normalizePath } from "../../../api-static/contract/query.ts";
import { parseTarget } from "../../../api-static/contract/request.ts";
import { buildWorker } from "../../../api-static/edge/build.ts";
import { planTarget } from "../../../api-static/edge/cloudflare/plan.ts";
import { askRaw, type RawAnswer } from "../server/socket.fixture.ts";
import { type PublishedObject, readPublished } from "./published.fixture.ts";

/** The same date as in wrangler.jsonc; the pinned runtime supports later ones too. */
const compatibilityDate = "2026-07-01";

const bucketPrefix = "grants/public";

/** The part of R2 that the publisher uses; the runtime's own types are in a package that nothing else needs. */
type WritableBucket = {
  put(key: string, body: Buffer, options: { readonly httpMetadata: object }): Promise<unknown>;
};

export class Worker {
  readonly #runtime: Miniflare;
  readonly #folder: string;
  readonly #uploads = new Map<string, Promise<void>>();
  readonly port: number;

  private constructor(runtime: Miniflare, folder: string, port: number) {
    this.#runtime = runtime;
    this.#folder = folder;
    this.port = port;
  }

  /**
   * @param folder of the published files
   * @param serverPort of the server behind the bucket
   */
  static async start(folder: string, serverPort: number): Promise<Worker> {
    const runtime = new Miniflare({
      modules: [{ type: "ESModule", path: "worker.js", contents: await buildWorker() }],
      compatibilityDate,
      r2Buckets: ["BUCKET"],
      bindings: { PREFIX: bucketPrefix, ORIGIN: `http://127.0.0.1:${serverPort}` },
      cf: false, // or it would download a description of a connection
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }], // past its proxy, which changes escapes and encodings
    });
    await runtime.ready;
    const { port } = await runtime.unsafeGetDirectURL();
    return new Worker(runtime, folder, Number(port));
  }

  /** Sends a request. The objects that the request may need are uploaded before, because uploading all takes long. */
  async ask(path: string, headers?: Record<string, string>, method?: string): Promise<RawAnswer> {
    const { pathname, search } = new URL(path, "http://127.0.0.1");
    const plan = planTarget(parseTarget(normalizePath(pathname), search));
    await this.#upload("404.html");
    if ("key" in plan) await this.#upload(plan.key);
    return askRaw(this.port, path, headers, method);
  }

  /** Puts an object into the bucket, in place of the release's own. */
  put(key: string, object: PublishedObject): Promise<void> {
    const upload = this.#write(key, object);
    this.#uploads.set(key, upload);
    return upload;
  }

  stop(): Promise<void> {
    return this.#runtime.dispose();
  }

  #upload(key: string): Promise<void> {
    const upload = this.#uploads.get(key) ?? this.#uploadFile(key);
    this.#uploads.set(key, upload);
    return upload;
  }

  async #uploadFile(key: string): Promise<void> {
    const object = await readPublished(this.#folder, key);
    if (object !== undefined) await this.#write(key, object);
  }

  async #write(key: string, { body, metadata: _, ...httpMetadata }: PublishedObject): Promise<void> {
    const bucket = (await this.#runtime.getR2Bucket("BUCKET")) as unknown as WritableBucket;
    await bucket.put(`${bucketPrefix}/${key}`, body, { httpMetadata });
  }
}
