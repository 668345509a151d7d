// Tests that the service for agents is loaded once, and again after a failure.
import { expect, it, vi } from "vitest";
import { Agents } from "../../../../api-static/server/mcp/agents.ts";

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
  load.mockReturnValue(async () => "answered");
  const agents = new Agents({} as never);
  const ask = () => agents.answer({} as never);
  const first = await Promise.allSettled([ask(), ask()]);
  expect(first.map(({ status }) => status)).toStrictEqual(["rejected", "rejected"]);
  expect(await ask()).toBe("answered");
  expect(await ask()).toBe("answered");
  expect(load).toHaveBeenCalledTimes(2);
});
