// Finds free ports for programs that cannot choose their own.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to connections, and to servers that take any: one of those may be taken before it is used. */
const [firstPort, endPort] = [12_000, 32_000];

const attempts = 100;

/** The first of some neighboring ports of 127.0.0.1 that are free now. It is drawn, so that others who look meanwhile find another. */
export async function findPorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const first = randomInt(firstPort, endPort - count);
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) return first;
  }
  throw new Error(`no ${count} neighboring ports between ${firstPort} and ${endPort} are free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
