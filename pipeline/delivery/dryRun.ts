// Counts what a publish would do, and what its requests cost.
import type { Bucket } from "../base/bucket/bucket.ts";
import { formatCount } from "../base/progress.ts";
import { publicStart, releasesStart } from "./objects.ts";
import prices from "./prices.json" with { type: "json" };

/** Requests by price. */
const kinds = {
  write: /^(Put|Create|Upload|Complete|List)/,
  read: /^(Get|Head)/,
  delete: /^(Delete|Abort)/,
} as const;

const uploadCommands: ReadonlySet<string> = new Set(["PutObject", "CompleteMultipartUpload"]);

/** The requests of a publish whose bucket sends no changes. */
export class DryRun {
  readonly #requests = { write: 0, read: 0, delete: 0 };
  readonly #files = { uploads: 0, bytes: 0 };
  readonly #parts = { uploads: 0, bytes: 0 };
  #deletions = 0;

  constructor(bucket: Bucket) {
    bucket.rehearse((command, name, bytes) => {
      for (const kind of ["write", "read", "delete"] as const)
        if (kinds[kind].test(command)) this.#requests[kind] += 1;
      if (command === "DeleteObject") this.#deletions += 1;
      const counts = { [publicStart]: this.#files, [releasesStart]: this.#parts }[name.replace(/\/.*/s, "/")];
      if (counts === undefined) return;
      counts.uploads += Number(uploadCommands.has(command));
      counts.bytes += bytes;
    });
  }

  /** The text of the result. @param purges entries of the purge list */
  format(release: string, purges: number): string {
    const { write, read, delete: deletions } = this.#requests;
    const format = ({ uploads, bytes }: { uploads: number; bytes: number }, what: string) =>
      `  upload ${formatCount(uploads)} ${what}, ${(bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
    const dollars = Object.entries(prices).map(([store, price]) => {
      const sum = write * price.write + read * price.read + deletions * price.delete;
      return `$${(sum / 1e6).toFixed(4)} at ${store}`; // prices are per million
    });
    return [
      `publish: a dry run of release ${release}; nothing was changed`,
      format(this.#files, "public files"),
      format(this.#parts, "parts for servers"),
      `  delete ${formatCount(this.#deletions)} objects`,
      `  purge ${formatCount(purges)} paths`,
      `  requests: ${formatCount(write)} writes, ${formatCount(read)} reads, ${formatCount(deletions)} deletions: ${dollars.join(", ")}`,
    ].join("\n");
  }
}
