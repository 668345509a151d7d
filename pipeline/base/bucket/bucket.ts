// Reads and writes the objects of a bucket: S3, and stores that speak its protocol.
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as s3 from "@aws-sdk/client-s3";
import pLimit from "p-limit";
import { InputError } from "../failure.ts";
import { type BucketAddress, formatAddress, type StoreSettings } from "./address.ts";
import { openClient } from "./client.ts";
import { explainFailure, type Pauses, retry, statusOf, TruncatedBody, usualPauses } from "./failures.ts";

/** Files above this size are uploaded in parts of this size, except that there are at most `maxParts` parts. */
const partBytes = 16 * 2 ** 20;
const maxParts = 9_000;
const partsAtOnce = 4;

/** What is stored with an object's bytes. */
export type ObjectHeaders = {
  readonly ContentType: string;
  readonly ContentEncoding?: string;
  readonly CacheControl?: string;
  readonly Metadata?: Record<string, string>;
};

/** An object as a listing shows it. `etag` has no quotes. */
export type ListedObject = {
  /** Below the prefix of the bucket's address. */
  readonly name: string;
  readonly bytes: number;
  readonly etag: string;
  readonly modifiedAt: Date;
};

/** Where an object is, in the client's words. */
type Place = { readonly Bucket: string; readonly Key: string };

/** A small object's content. */
type StoredObject = { readonly body: Buffer; readonly etag: string };

/** An object that another writer changed first. */
export class ChangedObject extends Error {
  override readonly name = "ChangedObject";
}

/** The objects whose keys start with an address. All names are below it. */
export class Bucket {
  readonly address: BucketAddress;
  /** Runs before every attempt to change an object, `putIfSame` excepted. If it throws, the object is not changed. */
  beforeChange: () => Promise<void> = async () => {};
  readonly #client: s3.S3Client;
  readonly #pauses: Pauses;

  constructor(address: BucketAddress, settings: StoreSettings, pauses: Pauses = usualPauses) {
    this.address = address;
    this.#pauses = pauses;
    this.#client = openClient(settings);
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * Makes this a bucket for a dry run: requests that would change objects are answered here and not sent.
   * @param onRequest receives each request: its command, e.g., "PutObject", the object's name, and the bytes of its body
   */
  rehearse(onRequest: (command: string, name: string, bytes: number) => void): void {
    this.#client.middlewareStack.add(
      (next, { commandName = "" }) =>
        async (request) => {
          const { Key = "", Body } = request.input as { Key?: string; Body?: Buffer };
          const command = String(commandName).replace(/Command$/, "");
          onRequest(command, Key.slice(this.address.prefix.length), Body?.length ?? 0);
          const isRead = /^(Get|Head|List)/.test(command);
          return isRead ? next(request) : { output: { $metadata: {} }, response: undefined };
        },
      { step: "initialize" },
    );
  }

  /** The whole object; undefined if there is none. */
  async get(name: string): Promise<StoredObject | undefined> {
    return this.#read(name, async (place) => {
      const { Body, ContentLength, ETag } = await this.#client.send(new s3.GetObjectCommand(place));
      const body = Buffer.from((await Body?.transformToByteArray()) ?? []);
      checkLength(body.length, ContentLength);
      return { body, etag: unquote(ETag) };
    });
  }

  /**
   * Writes an object to a file. Returns false if there is none.
   * @param etag the object's expected ETag; without it any version is read
   * @throws ChangedObject if the object has another ETag
   */
  async download(name: string, path: string, etag?: string): Promise<boolean> {
    const found = await this.#read(name, async (place) => {
      const condition = etag === undefined ? {} : { IfMatch: etag };
      const { Body, ContentLength, ETag } = await this.#client.send(
        new s3.GetObjectCommand({ ...place, ...condition }),
      );
      if (etag !== undefined && unquote(ETag) !== etag) throw new ChangedObject(`${name} changed`);
      const file = createWriteStream(path);
      await pipeline(Body as Readable, file);
      checkLength(file.bytesWritten, ContentLength);
      return true;
    });
    return found ?? false;
  }

  /** Writes an object. */
  async put(name: string, body: Buffer, headers: ObjectHeaders): Promise<void> {
    await this.#change(name, (place) =>
      this.#client.send(new s3.PutObjectCommand({ ...place, ...headers, Body: body })),
    );
  }

  /**
   * Writes an object if it still is the one that was read; returns its new ETag. A request may have succeeded although its
   * response was lost, so a refused body is compared with the stored one.
   * @param etag as it was read; undefined if there was no object
   * @throws ChangedObject if another writer changed it
   */
  async putIfSame(
    name: string,
    body: Buffer,
    headers: ObjectHeaders,
    etag: string | undefined,
  ): Promise<string> {
    // Ceph compares the text as sent, without quotes; R2 wants the quotes of RFC 9110.
    const conditions =
      etag === undefined ? [{ IfNoneMatch: "*" }] : [{ IfMatch: etag }, { IfMatch: `"${etag}"` }];
    for (const condition of conditions) {
      try {
        const { ETag } = await this.#send(name, (place) =>
          this.#client.send(new s3.PutObjectCommand({ ...place, ...headers, ...condition, Body: body })),
        );
        return unquote(ETag);
      } catch (error) {
        const status = statusOf(error);
        if (status !== 412 && status !== 404 && status !== 409) throw error;
        const stored = await this.get(name);
        if (stored?.body.equals(body)) return stored.etag;
        if (stored?.etag !== etag) break;
      }
    }
    throw new ChangedObject(`${formatAddress(this.address, name)} was changed by another writer`);
  }

  /** Uploads a file of any size. */
  async upload(name: string, path: string, bytes: number, headers: ObjectHeaders): Promise<void> {
    const file = await open(path, "r");
    try {
      const read = async (start: number, end: number) => {
        const buffer = Buffer.allocUnsafe(end - start);
        const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
        if (bytesRead < buffer.length) throw new Error(`${path} became shorter while it was uploaded`);
        return buffer;
      };
      if (bytes <= partBytes) await this.put(name, await read(0, bytes), headers);
      else await this.#uploadParts(name, bytes, headers, read);
    } finally {
      await file.close();
    }
  }

  async #uploadParts(
    name: string,
    bytes: number,
    headers: ObjectHeaders,
    read: (start: number, end: number) => Promise<Buffer>,
  ): Promise<void> {
    const size = sizeOfParts(bytes);
    const { UploadId } = await this.#change(name, (place) =>
      this.#client.send(new s3.CreateMultipartUploadCommand({ ...place, ...headers })),
    );
    const starts = Array.from({ length: Math.ceil(bytes / size) }, (_, index) => index * size);
    const parts = await pLimit(partsAtOnce).map(starts, async (start, index) => {
      const Body = await read(start, Math.min(start + size, bytes));
      const PartNumber = index + 1;
      const { ETag } = await this.#change(name, (place) =>
        this.#client.send(new s3.UploadPartCommand({ ...place, UploadId, PartNumber, Body })),
      );
      return { ETag, PartNumber };
    });
    await this.#change(name, (place) =>
      this.#client.send(
        new s3.CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }),
      ),
    );
  }

  /** Size and metadata of an object; undefined if there is none. */
  async head(
    name: string,
  ): Promise<{ readonly bytes: number; readonly metadata: Readonly<Record<string, string>> } | undefined> {
    return this.#read(name, async (place) => {
      const { ContentLength = 0, Metadata = {} } = await this.#client.send(new s3.HeadObjectCommand(place));
      return { bytes: ContentLength, metadata: Metadata };
    });
  }

  /** Deletes an object, whether or not it exists. Deletions are never conditional: stores ignore the conditions. */
  async delete(name: string): Promise<void> {
    await this.#change(name, (place) => this.#client.send(new s3.DeleteObjectCommand(place)));
  }

  /** All objects whose names start with `start`, in the order of the store. */
  async *list(start = ""): AsyncGenerator<ListedObject> {
    const { bucket, prefix } = this.address;
    for (let token: string | undefined, isLast = false; !isLast; ) {
      const page = await this.#send(start, ({ Bucket }) =>
        this.#client.send(
          new s3.ListObjectsV2Command({ Bucket, Prefix: prefix + start, ContinuationToken: token }),
        ),
      );
      if (page.Name === undefined && page.IsTruncated === undefined)
        throw new InputError(
          `${bucket}: the host answered something that is no list of objects. Check AWS_ENDPOINT_URL_S3`,
        );
      for (const { Key = "", Size = 0, ETag, LastModified = new Date(0) } of page.Contents ?? [])
        yield { name: Key.slice(prefix.length), bytes: Size, etag: unquote(ETag), modifiedAt: LastModified };
      token = page.NextContinuationToken;
      isLast = page.IsTruncated !== true;
      if (!isLast && token === undefined) throw new Error(`the listing of ${bucket} ended without a token`);
    }
  }

  /** Removes the parts of uploads that did not end, which would be stored, and paid for, forever. Returns how many. */
  async abortUploads(start: string): Promise<number> {
    const { bucket: Bucket, prefix } = this.address;
    const { Uploads = [] } = await this.#send(start, () =>
      this.#client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: prefix + start })),
    );
    for (const { Key, UploadId } of Uploads) {
      await this.#orAbsent(() =>
        this.#change(start, () =>
          this.#client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId })),
        ),
      );
    }
    return Uploads.length;
  }

  /** Sends a request that changes an object. */
  #change<Result>(name: string, request: (place: Place) => Promise<Result>): Promise<Result> {
    return this.#send(name, async (place) => {
      await this.beforeChange();
      return request(place);
    });
  }

  /** Sends a request until it succeeds or fails for good. */
  async #send<Result>(name: string, request: (place: Place) => Promise<Result>): Promise<Result> {
    const place = { Bucket: this.address.bucket, Key: this.address.prefix + name };
    try {
      return await retry(this.#pauses, () => request(place));
    } catch (error) {
      throw explainFailure(error, formatAddress(this.address, name));
    }
  }

  /** The result of a request for an object; undefined if there is none. */
  #read<Result>(name: string, request: (place: Place) => Promise<Result>): Promise<Result | undefined> {
    return this.#orAbsent(() => this.#send(name, request));
  }

  /** The result of a request; undefined if there is no such object. */
  async #orAbsent<Result>(request: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await request();
    } catch (error) {
      const isAbsent = statusOf(error) === 404 && (error as Error).name !== "NoSuchBucket";
      if (isAbsent) return undefined;
      if (statusOf(error) === 412) throw new ChangedObject("the object changed", { cause: error });
      throw error;
    }
  }
}

/** The size of the parts that a file of this size is uploaded in. */
export function sizeOfParts(bytes: number): number {
  return Math.max(partBytes, Math.ceil(bytes / maxParts));
}

function unquote(etag = ""): string {
  return etag.replace(/^"|"$/g, "");
}

function checkLength(bytes: number, expected: number | undefined): void {
  if (expected !== undefined && bytes !== expected)
    throw new TruncatedBody(`a response ended after ${bytes} of ${expected} bytes`);
}
