// Reports which programs the tests can use. The whole form needs the ones that continuous integration installs.
import { spawnSync } from "node:child_process";
import { isWhole } from "./proofs.ts";

/** Debian installs nginx where only root's PATH looks. */
export const programPath = `${process.env.PATH ?? ""}:/usr/sbin`;

/** Programs without which the whole form fails. */
const neededWhole = ["chromium", "gcc", "nginx", "promtool"];

/**
 * Returns whether a program is installed; prints which tests are skipped if it is not.
 * @param tests what the program is for, e.g., "the check of /metrics"
 * @throws Error in the whole form, if continuous integration installs the program
 */
export function isInstalled(program: string, tests: string): boolean {
  const option = program === "nginx" ? "-v" : "--version";
  const env = { ...process.env, PATH: programPath };
  if (spawnSync(program, [option], { env }).status === 0) return true;
  if (isWhole && neededWhole.includes(program))
    throw new Error(`PROOFS=whole needs ${program}, which is not installed: ${tests} would be skipped`);
  console.log(`skipped: ${tests}; ${program} is not installed`);
  return false;
}
