// Serves a published release in a Cloudflare Worker: from R2 where it can, from the server otherwise.
import { readSyncMinutes } from "../../contract/schedule.ts";
import { respond } from "./respond.ts";
import type { Bucket, EdgeCache } from "./runtime.ts";

type Environment = {
  /** The bucket of the published release. */
  readonly BUCKET: Bucket;
  /** The prefix under which the release was published, without "/" at its ends; absent or "" if there is none. */
  readonly PREFIX?: string;
  /** The URL of the server, e.g., "https://origin.example.org". */
  readonly ORIGIN: string;
  /** When the nightly sync starts, as the server's setting has it. */
  readonly SYNC_AT?: string;
};

/** The Workers runtime has a `default` cache, which the types of Node.js lack. */
declare const caches: { readonly default: EdgeCache };

export default {
  fetch(
    request: Request,
    { BUCKET, PREFIX = "", ORIGIN, SYNC_AT }: Environment,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    return respond(request, {
      bucket: BUCKET,
      prefix: PREFIX === "" ? "" : `${PREFIX}/`,
      origin: ORIGIN,
      cache: caches.default,
      fetch: (asked) => fetch(asked),
      clock: () => new Date(),
      syncMinutes: readSyncMinutes({ SYNC_AT }),
      waitUntil: (work) => context.waitUntil(work),
      onFailure: (error) => console.error(error),
    });
  },
};
