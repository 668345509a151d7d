// Records every rollback, so that a sync does not bring back what was rolled back and retention keeps what was current last.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsence } from "../../api-static/release/systemErrors.ts";
import { replaceFile } from "../base/files.ts";

/** One rollback from a release to another. */
export type Rollback = {
  readonly from: string;
  readonly to: string;
  /** When, in the form of a release id, so that both sort together. */
  readonly moment: string;
  /** The digest of the inputs of `from`, which may be pruned meanwhile; null if its manifest could not be read. */
  readonly made_from: string | null;
};

/** Rollbacks that are remembered; they are rare. */
const maxRollbacks = 20;

/** Where the rollbacks of a data folder are recorded. */
function rollbacksPath(data: string): string {
  return join(data, "rollbacks.json");
}

/**
 * The rollbacks of a data folder, oldest first; an empty list if there is no record.
 * @param warn receives a line if the record is damaged, which counts as empty: it must not stop a sync or a rollback
 */
export async function readRollbacks(
  data: string,
  warn: (line: string) => void = () => {},
): Promise<readonly Rollback[]> {
  const path = rollbacksPath(data);
  try {
    const rollbacks: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(rollbacks) && rollbacks.every(isRollback)) return rollbacks;
  } catch (error) {
    if (isAbsence(error)) return [];
    if (!(error instanceof SyntaxError)) throw error;
  }
  warn(`warning: "${path}" is damaged; a release that was rolled back may be built again`);
  return [];
}

function isRollback(value: unknown): value is Rollback {
  const { from, to, moment } = (value ?? {}) as Partial<Record<keyof Rollback, unknown>>;
  return [from, to, moment].every((text) => typeof text === "string");
}

/** Adds a rollback to the record of a data folder. */
export async function recordRollback(data: string, rollback: Rollback): Promise<void> {
  const rollbacks = [...(await readRollbacks(data)), rollback].slice(-maxRollbacks);
  await replaceFile(rollbacksPath(data), `${JSON.stringify(rollbacks, null, 2)}\n`);
}

/** The last rollback from a release to an older one, unless a later command went back to it again. */
export function findRollback(rollbacks: readonly Rollback[], release: string): Rollback | undefined {
  const last = rollbacks.findLast(({ from, to }) => from === release || to === release);
  return last?.from === release && last.to < release ? last : undefined;
}

/** The id of a release with inputs of this digest that was rolled back from; undefined if there is none. */
export async function findRolledBack(
  data: string,
  madeFrom: string,
  warn: (line: string) => void,
): Promise<string | undefined> {
  const rollbacks = await readRollbacks(data, warn);
  return rollbacks.find(({ from, made_from }) => made_from === madeFrom && findRollback(rollbacks, from))
    ?.from;
}

/** When a release was last made current, by its sync or by a rollback, in the form of a release id. */
export function lastActivated(rollbacks: readonly Rollback[], release: string): string {
  return rollbacks.findLast(({ to }) => to === release)?.moment ?? release;
}
