// Sends requests to our server over one connection that stays open.
import { Agent, get } from "node:http";
import { href } from "../../api-static/contract/pageKeys.ts";
import type { HistoryRequest } from "../../api-static/contract/request.ts";
import type { TimedAnswer } from "./peers/process.ts";

export class Client {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** @param origin e.g., "http://127.0.0.1:41231" */
  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Requests a page; the time includes reading and parsing it. */
  async answer(request: HistoryRequest): Promise<TimedAnswer> {
    const url = `${this.#origin}${href(request)}`;
    const start = performance.now();
    const { status, text } = await this.#read(url);
    if (status !== 200) throw new Error(`${url} returned ${status}: ${text}`);
    const body = JSON.parse(text) as { total: number; data: { id: number }[] };
    const milliseconds = performance.now() - start;
    return { total: body.total, ids: body.data.map(({ id }) => id), milliseconds };
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
