// Runs a peer in a separate process: a request that takes too long is aborted by ending the process, and a new process replaces it.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { HistoryRequest } from "../../../api-static/contract/operations/searches.ts";
import { type Grants, Unavailable } from "./peer.ts";

export type Ask =
  | { readonly what: "load" | "open"; readonly grants: Grants }
  | { readonly what: "answer"; readonly request: HistoryRequest }
  | { readonly what: "close" };

/** A message of the process: an answer or a failure. */
export type PeerMessage = {
  readonly version?: string;
  readonly total?: number;
  readonly ids?: readonly number[];
  readonly milliseconds?: number;
  readonly failure?: string;
  readonly isUnavailable?: boolean;
};

export type TimedAnswer = {
  readonly total: number;
  readonly ids: readonly number[];
  readonly milliseconds: number;
};

const script = fileURLToPath(new URL("./main.ts", import.meta.url));

export class PeerProcess {
  readonly #name: string;
  readonly #folder: string;
  readonly #grants: Grants;
  #child: ChildProcess;

  /** @param folder the peer's own, existing and empty */
  constructor(name: string, folder: string, grants: Grants) {
    this.#name = name;
    this.#folder = folder;
    this.#grants = grants;
    this.#child = this.#fork();
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** @throws Unavailable if the system is not installed */
  async load(): Promise<void> {
    await this.#ask({ what: "load", grants: this.#grants });
    // Memory left over from loading must not affect the answers.
    await this.#replace();
  }

  /** Opens the loaded data; returns name and version. */
  async open(): Promise<string> {
    return (await this.#ask({ what: "open", grants: this.#grants })).version ?? this.#name;
  }

  /** The answer, or undefined if it took longer than `limit` milliseconds. */
  async answer(request: HistoryRequest, limit: number): Promise<TimedAnswer | undefined> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#child.kill("SIGKILL");
    }, limit);
    const answered = await this.#ask({ what: "answer", request }).catch((error: Error) => {
      if (!isOver) throw error;
      return undefined;
    });
    clearTimeout(timer);
    if (isOver || answered === undefined) {
      await this.#replace();
      await this.open();
      return undefined;
    }
    const { total = 0, ids = [], milliseconds = 0 } = answered;
    return { total, ids, milliseconds };
  }

  async close(): Promise<void> {
    if (this.#child.connected) await this.#ask({ what: "close" });
    await this.#end();
  }

  #fork(): ChildProcess {
    return fork(script, [this.#name, this.#folder], { serialization: "advanced" });
  }

  async #replace(): Promise<void> {
    await this.#end();
    this.#child = this.#fork();
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.connected) child.disconnect();
    await ended;
  }

  #ask(ask: Ask): Promise<PeerMessage> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null, signal: string | null) =>
        reject(new Error(`the process of ${this.#name} exited with ${code ?? signal}`));
      child.once("exit", onExit);
      child.once("message", (message: PeerMessage) => {
        child.off("exit", onExit);
        if (message.failure === undefined) resolve(message);
        else if (message.isUnavailable) reject(new Unavailable(message.failure));
        else reject(new Error(`${this.#name}: ${message.failure}`));
      });
      child.send(ask);
    });
  }
}
