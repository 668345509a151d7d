// Tests that the service for agents is loaded once, and again after a failure.
import { expect, it, vi } from "vitest";
import { createTestApp } from "../release.fixture.ts";

const load = vi.hoisted(() => vi.fn());
vi.mock("../../../../api-static/server/mcp/service.ts", () => ({
  AgentsService: class {
    readonly answer = load();
  },
}));

it("loads the service once, and again if that failed", async () => {
  load.mockImplementationOnce(() => {
    throw new Error("too many open files");
  });
  load.mockReturnValue(async () => ({ status: 200, headers: [], body: null }));
  const app = createTestApp(undefined);
  const ask = async () => (await app.request("/mcp", { method: "POST" })).status;
  expect(await Promise.all([ask(), ask()])).toStrictEqual([500, 500]);
  expect(await ask()).toBe(200);
  expect(await ask()).toBe(200);
  expect(load).toHaveBeenCalledTimes(2);
});
