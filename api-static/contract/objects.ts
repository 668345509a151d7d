// Names the objects of a published release, for the publisher and for every host in front of its bucket.
import { storedEnding } from "./pageKeys.ts";

/**
 * The key, below the bucket's prefix, of a file of `public/`. A page file's key is its page key, without ".gz": the object's
 * Content-Encoding says that it is gzip. So its URL is the one that a server answers too if the bucket does not have it.
 * @param path below `public/`, e.g., "v1/funders/131635294/history-100-0.json.gz"
 * @returns e.g., "v1/funders/131635294/history-100-0.json"
 */
export function objectKey(path: string): string {
  return path.endsWith(`.json${storedEnding}`) ? path.slice(0, -storedEnding.length) : path;
}
