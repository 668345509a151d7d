// Puts load on a server, with clients that each send one request after the other on one connection, and reads its metrics.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawAnswer, readMetrics, type ServerProcess } from "./socket.fixture.ts";

/** A response that was cut off. */
export class CutOff extends Error {}

export type Load = {
  readonly port: number;
  /** Concurrent clients. */
  readonly clients: number;
  /** Requests per second of all clients together; unlimited if absent. */
  readonly rate?: number;
  /** The next request's path and query. */
  readonly next: () => string;
  readonly onAnswer: (path: string, answer: RawAnswer, milliseconds: number) => void;
  /** Called for a request without a response, which ends the client, and for a response that was cut off. */
  readonly onFailure?: (error: Error) => void;
};

export type RunningLoad = {
  /** Responses so far. */
  readonly answers: () => number;
  /** Ends every client after its current response. Rejects with a failure, or with what `onAnswer` threw. */
  stop(): Promise<void>;
};

/** Starts the clients. */
export function startLoad({ port, clients, rate, next, onAnswer, onFailure }: Load): RunningLoad {
  let [answers, isOver] = [0, false];
  const start = performance.now();
  const interval = rate === undefined ? 0 : (clients / rate) * 1000;
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const ends = agents.map(async (agent, client) => {
    for (let turn = client / clients; !isOver; turn++) {
      const early = start + turn * interval - performance.now();
      if (early > 0) await sleep(early);
      const path = next();
      try {
        const start = performance.now();
        const answer = await ask(agent, port, path);
        onAnswer(path, answer, performance.now() - start);
        answers += 1;
      } catch (error) {
        if (onFailure === undefined) throw error;
        return onFailure(error as Error);
      }
    }
  });
  const ended = Promise.allSettled(ends);
  return {
    answers: () => answers,
    stop: async () => {
      isOver = true;
      const failed = (await ended).find((end) => end.status === "rejected");
      for (const agent of agents) agent.destroy();
      if (failed !== undefined) throw failed.reason;
    },
  };
}

function ask(agent: Agent, port: number, path: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, path, agent }, async (response) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of response) chunks.push(chunk as Buffer);
      } catch (error) {
        return reject(new CutOff(`the answer to ${path} ended too early`, { cause: error }));
      }
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers, body: Buffer.concat(chunks) });
    });
    asking.on("error", reject);
    asking.end();
  });
}

/** The sum of a metric over the labels that match the pattern, e.g., `grants_server_searches{state="running"}`. */
export async function readFigure(server: ServerProcess, name: RegExp): Promise<number> {
  const lines = (await readMetrics(server))
    .split("\n")
    .filter((line) => !line.startsWith("#") && name.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** The server's resident memory in MiB, from its own metrics. */
export async function readMemory(server: ServerProcess): Promise<number> {
  return (await readFigure(server, /^process_resident_memory_bytes/)) / 2 ** 20;
}
