// Runs `make simulate`: prints how many nights were right, and what happened in them; or which planted faults are found.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readInteger } from "../../api-static/contract/environment.ts";
import { findPlanted } from "./planted.ts";
import { simulate } from "./simulation.ts";

const { env } = process;
const nights = readInteger(env, "NIGHTS", 60, 1, 100_000);
const seed = readInteger(env, "SEED", Date.now() % 1_000_000, 0, 2 ** 31);
if (readInteger(env, "FAULTS", 0, 0, 1) === 1)
  process.exit(findPlanted(nights, seed, env.ONLY ?? "", console.log));
const folder = mkdtempSync(join(tmpdir(), "nights-"));
const { wrong, faults, seconds, nights: done } = await simulate({ seed, nights, folder }, console.error);
for (const [name, count] of [...faults].sort()) console.log(`${String(count).padStart(6)}  ${name}`);
const each = (seconds / done).toFixed(1);
console.log(`simulate: ${done} nights of seed ${seed}, ${wrong === undefined ? 0 : 1} wrong, ${each} s each`);
if (wrong !== undefined)
  console.log(`simulate: ${wrong}\nRun it again: make simulate NIGHTS=${done} SEED=${seed}`);
process.exit(wrong === undefined ? 0 : 1);
