// Reads the objects of a published release from its public folder.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { objectKey } from "../../../api-static/contract/objects.ts";
import { storedEnding } from "../../../api-static/contract/pageKeys.ts";
import { isAbsence, systemCode } from "../../../api-static/release/systemErrors.ts";
import { headersOf } from "../../../pipeline/publish/objects.ts";

/** An object of a published release: the file's bytes, and what the publisher stores with them. */
export type PublishedObject = {
  readonly body: Buffer;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly cacheControl?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};

/** Reads the object of a key from a release's public folder; undefined if there is none. */
export async function readPublished(folder: string, key: string): Promise<PublishedObject | undefined> {
  for (const path of [key, key + storedEnding]) {
    if (objectKey(path) !== key) continue;
    try {
      const body = await readFile(join(folder, path));
      const { ContentType, ContentEncoding, CacheControl, Metadata } = headersOf(path, body);
      return {
        body,
        contentType: ContentType,
        contentEncoding: ContentEncoding,
        cacheControl: CacheControl,
        metadata: Metadata,
      };
    } catch (error) {
      if (!isAbsence(error) && systemCode(error) !== "EISDIR") throw error;
    }
  }
  return undefined;
}
