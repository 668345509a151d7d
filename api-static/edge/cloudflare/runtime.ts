// Declares the parts of the Workers runtime that the Worker uses, which the types of Node.js do not have.

/** A body or a part of it, and what the publisher stored with it. */
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
  /** What is known of an object without reading it. */
  head(key: string): Promise<Pick<BucketObject, "size" | "httpEtag"> | null>;
};

/** The cache of the data center in which the Worker runs. It keeps responses as long as their Cache-Control says. */
export type EdgeCache = {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
};

/** "manual" means that the body is encoded already, as Content-Encoding says. */
export type EncodedInit = ResponseInit & { readonly encodeBody?: "automatic" | "manual" };

/** What a request is answered with. */
export type Host = {
  readonly bucket: Bucket;
  /** What the keys of all objects start with: "" or a text that ends with "/". */
  readonly prefix: string;
  /** The server, e.g., "https://origin.example.org". */
  readonly origin: string;
  readonly cache: EdgeCache;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly clock: () => Date;
  /** Lets work go on after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Logs what failed without harm to the response. */
  readonly onFailure: (error: unknown) => void;
};
