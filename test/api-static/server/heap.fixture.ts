// Measures the live memory of a server process, after a full garbage collection, through Node.js' inspector.
import { once } from "node:events";
import { type ServerProcess, until } from "./socket.fixture.ts";

/** Settings for a server process whose memory is measured. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** Megabytes in use by a process that was started with `inspectable`: JavaScript objects, and buffers outside the heap. */
export async function measureLiveMemory(
  server: ServerProcess,
): Promise<{ objects: number; buffers: number }> {
  const [url = ""] = await until(() => /ws:\/\/127\.0\.0\.1:\S+/.exec(server.output()) ?? undefined);
  const inspector = new WebSocket(url);
  await once(inspector, "open");
  try {
    await call(inspector, "HeapProfiler.collectGarbage");
    const usage = (await call(inspector, "Runtime.getHeapUsage")) as Record<string, number>;
    const { usedSize = Number.NaN, backingStorageSize = Number.NaN } = usage;
    return { objects: usedSize / 2 ** 20, buffers: backingStorageSize / 2 ** 20 };
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
