// Tests that README's example matches the sample that `make start` writes, and that README stays short.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseRequest } from "../../api-static/contract/request.ts";
import { openDatabase } from "../../pipeline/base/database.ts";
import { readSampleSettings } from "../../tools/sample/main.ts";
import { writeSample } from "../../tools/sample/sample.ts";
import { findBlocks, readDocument } from "./markdown.fixture.ts";

const readme = readDocument("README.md");

it("README has at most 120 lines", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

it("README's curl gets README's answer from the default sample", async () => {
  const [call, answer] = findBlocks(readme).map(({ code }) => code);
  const url = new URL(/'(.*)'/.exec(call ?? "")?.[1] ?? "");
  const { data, total, limit } = JSON.parse(answer ?? "");
  const request = parseRequest(url.pathname, url.search);
  if (request.kind !== "history") throw new Error("expected a search in README");
  const { purpose = "", recipientName = "", transactionYear = 0 } = request.filters;
  expect(Object.keys(request.filters).sort()).toEqual(["purpose", "recipientName", "transactionYear"]);

  const home = await mkdtemp(join(tmpdir(), "readme-"));
  const settings = { ...readSampleSettings({ MEMORY: "1GB" }), folder: join(home, "warehouse") };
  const options = { ...settings, spillFolder: join(home, "spill") };
  await writeSample(options);
  const { instance, connection } = await openDatabase(options);
  const reader = await connection.runAndReadAll(
    `SELECT id, recipient_name, purpose, amount
     FROM read_parquet($files)
     WHERE contains(lower(purpose), $purpose) AND contains(lower(recipient_name), $recipientName)
       AND transaction_year = $transactionYear
     ORDER BY amount DESC, id`,
    { files: join(options.folder, "grants-*.parquet"), purpose, recipientName, transactionYear },
  );
  connection.closeSync();
  instance.closeSync();
  await rm(home, { recursive: true });

  const rows = reader.getRowObjectsJson();
  expect(rows.length).toBe(total);
  expect(data.length).toBe(limit);
  type Grant = { id: number; recipient_name: string; purpose: string; amount: number };
  const shown = (data as Grant[]).map(({ id, recipient_name, purpose, amount }) => ({
    ...{ id: String(id), recipient_name, purpose, amount: amount.toFixed(2) },
  }));
  expect(rows.slice(0, limit)).toEqual(shown);
});
