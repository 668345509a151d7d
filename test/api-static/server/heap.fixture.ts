// Measures the JavaScript heap of a server process after a full garbage collection, through Node.js' inspector.
import { once } from "node:events";
import { type ServerProcess, until } from "./socket.fixture.ts";

/** Settings for a server process whose heap is measured. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** Megabytes of live JavaScript objects in a process that was started with `inspectable`. */
export async function measureHeap(server: ServerProcess): Promise<number> {
  const [url = ""] = await until(() => /ws:\/\/127\.0\.0\.1:\S+/.exec(server.said()) ?? undefined);
  const inspector = new WebSocket(url);
  await once(inspector, "open");
  try {
    await call(inspector, "HeapProfiler.collectGarbage");
    const { usedSize } = (await call(inspector, "Runtime.getHeapUsage")) as { usedSize: number };
    return usedSize / 2 ** 20;
  } finally {
    inspector.close();
  }
}

async function call(inspector: WebSocket, method: string): Promise<unknown> {
  inspector.send(JSON.stringify({ id: 1, method }));
  const [{ data }] = (await once(inspector, "message")) as [MessageEvent];
  const { result, error } = JSON.parse(String(data)) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
