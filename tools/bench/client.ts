// Sends requests to our server over one connection that stays open.
import { Agent, get } from "node:http";
import type { HistoryRequest } from "../../api-static/contract/operations/searches.ts";
import { href } from "../../api-static/contract/operations/searches.ts";
import type { TimedAnswer } from "./peers/process.ts";

/** A page of grants or groups, or totals. */
type Body = {
  readonly total?: number;
  readonly data: { readonly id?: number }[] | { readonly records: number };
};

export class Client {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param origin e.g., "http://127.0.0.1:41231" */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Requests a page; the time includes reading and parsing it. */
  answer(request: HistoryRequest): Promise<TimedAnswer> {
    return this.read(href(request));
  }

  /** Requests a page, totals or groups. @returns without ids, unless the answer is a page of grants */
  async read(path: string): Promise<TimedAnswer> {
    const url = `${this.#origin}${path}`;
    const start = performance.now();
    const { status, text } = await this.#read(url);
    if (status !== 200) throw new Error(`${url} returned ${status}: ${text}`);
    const { total, data } = JSON.parse(text) as Body;
    const milliseconds = performance.now() - start;
    if (!Array.isArray(data)) return { total: data.records, ids: [], milliseconds };
    return { total: total ?? 0, ids: data.flatMap(({ id }) => id ?? []), milliseconds };
  }

  /** Requests a list, without measuring it. */
  async readData<Item>(path: string): Promise<Item[]> {
    const { status, text } = await this.#read(`${this.#origin}${path}`);
    if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
    return (JSON.parse(text) as { data: Item[] }).data;
  }

  /** Milliseconds of a round trip without work: the cost of HTTP alone. */
  async measureRoundTrip(): Promise<number> {
    const start = performance.now();
    await this.#read(`${this.#origin}/healthz`);
    return performance.now() - start;
  }

  close(): void {
    this.#agent.destroy();
  }

  #read(url: string): Promise<{ status: number | undefined; text: string }> {
    return new Promise((resolve, reject) => {
      get(url, { agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
        );
      }).on("error", reject);
    });
  }
}
