// Opens the index of organizations' names of a release for searches.
import { join } from "node:path";
import { Columns } from "../../release/columns.ts";
import { parts } from "../../release/layout.ts";
import type { Organizations } from "../../release/organizations.ts";
import type { SearchClient } from "../queue.ts";
import { commonThreads, type NameFiles, type SearchThreads } from "../searchThreads.ts";
import type {
  FoundOrganization,
  FoundOrganizations,
  IndexedOrganization,
  OrganizationQuery,
} from "./task.ts";

export type { FoundOrganization, FoundOrganizations, OrganizationQuery };

/** Searches for organizations in a thread, one after another. */
export class OrganizationSearch {
  readonly #files: NameFiles;
  readonly #organizations: Organizations;
  readonly #threads: SearchThreads;
  readonly #running = new Set<Promise<unknown>>();

  /**
   * @param folder of the release
   * @param organizations of the release, for names and places
   */
  constructor(folder: string, organizations: Organizations, threads: SearchThreads = commonThreads.names) {
    this.#files = { columns: Columns.open(join(folder, parts.organizationColumns)) };
    this.#organizations = organizations;
    this.#threads = threads;
  }

  /** @throws Refusal or ClientGone, as the queue does */
  find(query: OrganizationQuery, client?: SearchClient): Promise<FoundOrganizations> {
    return this.#threads.queue.run((signal) => this.#find(query, signal), client);
  }

  /** Answers queries of one request, each in a turn of its own, so that no other query waits for all of them. @throws as `find` does */
  findMany(
    queries: readonly OrganizationQuery[],
    client?: SearchClient,
  ): Promise<readonly FoundOrganizations[]> {
    const searches = queries.map((query) => (signal: AbortSignal) => this.#find(query, signal));
    return this.#threads.queue.runEach(searches, client);
  }

  async #find(query: OrganizationQuery, signal: AbortSignal): Promise<FoundOrganizations> {
    const running = this.#threads.findNames(this.#files, query, signal);
    this.#running.add(running);
    const { total, organizations } = await running.finally(() => this.#running.delete(running));
    return { total, organizations: organizations.map((one) => this.#complete(one)) };
  }

  #complete(indexed: IndexedOrganization): FoundOrganization {
    const { ein, also, ...others } = indexed;
    const line = this.#organizations.find(ein)?.toString() ?? '{"name":null,"city":null,"state":null}';
    const { name, city, state } = JSON.parse(line) as Pick<FoundOrganization, "name" | "city" | "state">;
    return { ein, name, city, state, ...(also !== undefined && { also }), ...others };
  }

  /** Reads the index into memory, so that the first query does not wait for it. Without a time limit: the disk may be slow. */
  async load(): Promise<void> {
    await this.find({ name: "", limit: 1 }, { network: "", seconds: Number.POSITIVE_INFINITY });
  }

  /** Closes the index after the last search. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await this.#threads.close(this.#files);
    this.#files.columns.close();
  }
}
