// Tests that exports make one chunk at a time, clients in turn, and rest while searches run.
import { expect, it, vi } from "vitest";
import { ExportTurns } from "../../../../api-static/server/answers/export.ts";

it("makes a chunk at a time, in turn for each client, and lets the event loop turn after each", async () => {
  const turns = new ExportTurns();
  const [order, between]: [string[], number[]] = [[], []];
  let loops = 0;
  const counting = setInterval(() => undefined, 1_000);
  const count = () => {
    loops += 1;
    if (counting.hasRef()) setImmediate(count);
  };
  setImmediate(count);
  let making = 0;
  const make = (name: string) =>
    turns.make(
      name.charAt(0),
      () => false,
      async () => {
        making += 1;
        expect(making).toBe(1);
        await Promise.resolve();
        making -= 1;
        order.push(name);
        between.push(loops);
      },
    );
  await Promise.all(["a1", "a2", "a3", "b1"].map(make));
  counting.unref();
  expect(order).toStrictEqual(["a1", "b1", "a2", "a3"]);
  expect(new Set(between).size).toBe(4);
});

it("rests for as long as a chunk took while searches run, and not otherwise", async () => {
  const rest = vi.fn(async (_milliseconds: number) => undefined);
  let time = 100;
  const turns = new ExportTurns(() => (time += 7), rest);
  const make = (isBusy: boolean) =>
    turns.make(
      "a",
      () => isBusy,
      async () => "chunk",
    );
  expect(await make(true)).toBe("chunk");
  expect(await make(false)).toBe("chunk");
  expect(rest.mock.calls).toStrictEqual([[7]]);
});
