// Tests that whatever happens in a course of nights, every release is whole, and buckets, copies and followers have it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { inherited } from "../inherited.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { proofs } from "../proofs.ts";
import { plantedFaults } from "./planted.ts";

it.each(plantedFaults)("the fault that %s can be planted in %s", (_, file, from) => {
  expect(readFileSync(join(checkout, file), "utf8").split(from)).toHaveLength(2);
});

// In a process of its own, because it replaces the calls of the file system.
it(`nothing is wrong after ${proofs.simulatedNights} nights in which something fails`, async () => {
  const { SEED = String(Date.now() % 1_000_000), TMPDIR = "" } = process.env;
  const node = ["--disable-warning=ExperimentalWarning", "test/simulate/main.ts"];
  const env = { ...inherited(), TMPDIR, SEED, NIGHTS: String(proofs.simulatedNights) };
  const child = spawn(process.execPath, node, { cwd: checkout, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  console.log(stdout);
  const [code, signal] = await ended;
  // Its last lines, because a process that fails by itself prints nothing else.
  const last = code === 0 ? [] : stderr.trimEnd().split("\n").slice(-12);
  expect({ code, signal, last }).toEqual({ code: 0, signal: null, last: [] });
  expect(stdout).toContain(`simulate: ${proofs.simulatedNights} nights of seed ${SEED}, 0 wrong`);
}, 3_600_000);
