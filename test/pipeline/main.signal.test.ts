// Tests that a sync stopped by a signal reports it, and that the next one succeeds.
import { join } from "node:path";
import { expect, it } from "vitest";
import { spreadOf } from "../proofs.ts";
import { expectNoLeftovers, spread, startCommand, syncHere } from "./trust.fixture.ts";
import { useFolder, useParquet } from "./warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

it.each(spreadOf("signals to a sync", ["SIGTERM", "SIGINT"] as const, 2))(
  "%s ends a sync with a line, and the next run cleans up",
  async (signal) => {
    const warehouse = await put("w.parquet", spread(10), "FROM range(20000) t(i)");
    const data = join(folder.home, "data");
    const { child, ended } = startCommand("sync", { WAREHOUSE: warehouse, DATA: data }, (stderr, running) => {
      if (stderr.includes("order grants")) running.kill(signal);
    });
    const { code, stderr } = await ended;
    expect([code, child.signalCode]).toEqual([null, signal]);
    expect(stderr).toMatch(
      /^sync: stopped; the current release is still being served, and the next run cleans up$/m,
    );
    await syncHere(await put("few.parquet", spread(1), "FROM range(10) t(i)"), data);
    await expectNoLeftovers(data);
  },
);
