// Reads the objects of a published release from its public folder.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsence, systemCode } from "../../../api-static/release/systemErrors.ts";
import { headersOf } from "../../../pipeline/delivery/objects.ts";
import { publicFilePath } from "../../../pipeline/releases/pageFile.ts";

/** An object of a published release: the file's bytes and stored headers. */
export type PublishedObject = {
  readonly body: Buffer;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};

/** Reads the object of a key from a release's public folder; undefined if there is none. */
export async function readPublished(folder: string, key: string): Promise<PublishedObject | undefined> {
  try {
    const body = await readFile(join(folder, "..", publicFilePath(key)));
    const { ContentType, ContentEncoding, CacheControl, Metadata } = headersOf(key, body);
    return {
      body,
      contentType: ContentType,
      contentEncoding: ContentEncoding,
      cacheControl: CacheControl,
      metadata: Metadata,
    };
  } catch (error) {
    if (!isAbsence(error) && systemCode(error) !== "EISDIR") throw error;
    return undefined;
  }
}
