// Declares the parts of the Workers runtime that the Worker uses, which the types of Node.js do not have.

/** A body or a range of it, and the headers that the publisher stored. */
export type BucketObject = {
  readonly size: number;
  readonly httpEtag: string;
  readonly body: ReadableStream<Uint8Array>;
  readonly httpMetadata?: { readonly contentType?: string; readonly contentEncoding?: string };
  arrayBuffer(): Promise<ArrayBuffer>;
};

/** An R2 bucket. */
export type Bucket = {
  /** The object, or a range of its bytes; null if there is none. */
  get(
    key: string,
    options?: { readonly range?: { readonly offset: number; readonly length: number } },
  ): Promise<BucketObject | null>;
  /** The object without its body; null if there is none. */
  head(key: string): Promise<Pick<BucketObject, "size" | "httpEtag" | "httpMetadata"> | null>;
};

/** The cache of the data center in which the Worker runs. It obeys the Cache-Control of responses. */
export type EdgeCache = {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
};

/** "manual": the body is already encoded, as in Content-Encoding. */
export type EncodedInit = ResponseInit & { readonly encodeBody?: "automatic" | "manual" };

/** The bucket, server, cache and clock that a request is answered with. */
export type Host = {
  readonly bucket: Bucket;
  /** The prefix of all objects' keys: "" or a text that ends with "/". */
  readonly prefix: string;
  /** The server, e.g., "https://origin.example.org". */
  readonly origin: string;
  readonly cache: EdgeCache;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly clock: () => Date;
  /** When the nightly sync starts, in minutes after midnight UTC. */
  readonly syncMinutes?: number;
  /** Finishes work after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Logs a failure that the client does not see. */
  readonly onFailure: (error: unknown) => void;
};
