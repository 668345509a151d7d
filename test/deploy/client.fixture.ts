// Asks a server without a pause while it is restarted, and compares every answer.

/** Milliseconds after which a request is given up. */
const patience = 5_000;
/** Milliseconds between two requests. */
const pause = 20;
/** Milliseconds within which a server must be back; a guard against waiting forever. */
const maxOutage = 60_000;

export class Client {
  /** Answers that are neither right nor a refusal. */
  readonly wrong: string[] = [];
  /** Requests that failed or were refused, and right answers. */
  failures = 0;
  rightAnswers = 0;
  readonly #expected: ReadonlyMap<string, string>;
  #isStopped = false;
  readonly #ended: Promise<void>;

  private constructor(expected: ReadonlyMap<string, string>) {
    this.#expected = expected;
    this.#ended = this.#ask();
  }

  /** Starts to ask for these URLs. Their first answers are those expected of all later ones. */
  static async start(urls: readonly string[]): Promise<Client> {
    const expected = new Map<string, string>();
    for (const url of urls) {
      const response = await fetch(url);
      if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
      expected.set(url, await response.text());
    }
    return new Client(expected);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  /** Waits until every URL is answered again. @throws Error if that takes too long */
  async recover(): Promise<void> {
    const [start, needed] = [performance.now(), this.rightAnswers + 2 * this.#expected.size];
    for (let failures = this.failures; this.rightAnswers < needed || this.failures > failures; ) {
      if (performance.now() - start > maxOutage)
        throw new Error(`${this.failures} requests failed; not back after a minute`);
      failures = this.failures;
      await new Promise((resolve) => setTimeout(resolve, pause * 5));
    }
  }

  async #ask(): Promise<void> {
    while (!this.#isStopped) {
      for (const [url, expected] of this.#expected) {
        await this.#compare(url, expected);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  async #compare(url: string, expected: string): Promise<void> {
    try {
      // A kept connection would go to the process that was killed.
      const headers = { Connection: "close" };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(patience) });
      const text = await response.text();
      const isRefusal = response.status === 503 && text.includes('"code":"not_ready"');
      if (response.status === 200 && text === expected) this.rightAnswers += 1;
      else if (isRefusal) this.failures += 1;
      else this.wrong.push(`${url}: ${response.status} ${text.slice(0, 200)}`);
    } catch {
      this.failures += 1; // refused, reset or truncated, which the client notices
    }
  }
}
