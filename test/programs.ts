// Reports which programs the tests can use. The whole form needs the ones that continuous integration installs.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isWhole } from "./proofs.ts";

/** Debian installs nginx where only root's PATH looks. */
export const programPath = `${process.env.PATH ?? ""}:/usr/sbin`;

/** Programs without which the whole form fails. */
const neededWhole = [
  ...["7z", "chromium", "debootstrap", "gcc", "nginx", "njs", "openssl", "podman", "promtool", "radosgw"],
  "unzip",
];

/** How a program is run to see whether it is there, if not with `--version`. */
const options: Readonly<Record<string, string>> = {
  "7z": "i",
  nginx: "-v",
  kubectl: "--help",
  njs: "-v",
  openssl: "version",
  unzip: "-v",
};

/**
 * Returns whether a program is installed; prints which tests are skipped if it is not.
 * @param tests what the program is for, e.g., "the check of the metrics"
 * @throws Error in the whole form, if continuous integration installs the program
 */
export function isInstalled(program: string, tests: string): boolean {
  const option = options[program] ?? "--version";
  const env = { ...process.env, PATH: programPath };
  if (spawnSync(program, [option], { env }).status === 0) return true;
  return skip(program, tests, neededWhole.includes(program));
}

/**
 * Returns whether one of some font families is installed; prints which tests are skipped if none is.
 * @throws Error in the whole form
 */
export function isFontInstalled(families: readonly string[], tests: string): boolean {
  if (families.some((family) => spawnSync("fc-list", [family]).stdout?.length)) return true;
  return skip(families.join(" or "), tests, true);
}

/** Prints what is missing, and returns false. @throws Error in the whole form if that needs it */
function skip(missing: string, tests: string, isNeeded: boolean): false {
  if (isWhole && isNeeded)
    throw new Error(`PROOFS=whole needs ${missing}, which is not installed: ${tests} would be skipped`);
  console.log(`skipped: ${tests}; ${missing} is not installed`);
  return false;
}

/** The file of an installed program. @throws Error if it is not installed */
export function findProgram(program: string): string {
  const file = findFile(program);
  if (file === undefined) throw new Error(`${program} is not installed`);
  return file;
}

/** The first of some programs that is installed; the last one if none is. */
export function firstInstalled<const Program extends string>(...programs: [...Program[], Program]): Program {
  return programs.find(findFile) ?? (programs.at(-1) as Program);
}

function findFile(program: string): string | undefined {
  return programPath
    .split(":")
    .map((folder) => join(folder, program))
    .find(existsSync);
}
