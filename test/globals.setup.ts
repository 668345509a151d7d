// Restores the globals that @hono/node-server replaces when a server is created, because test files share processes.
import { afterAll } from "vitest";

const { Request, Response } = globalThis;
afterAll(() => {
  Object.defineProperty(globalThis, "Request", { value: Request });
  Object.defineProperty(globalThis, "Response", { value: Response });
});
