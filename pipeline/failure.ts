// Owns how a pipeline command can fail: one exit code for each kind, and one sentence for people.

/** Exit codes of every pipeline command. */
export const exitCodes = { done: 0, unexpected: 1, input: 2, refused: 3, locked: 4 } as const;

/** Input or settings at fault (exit code 2). The message says what, where and what was expected. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly exitCode = exitCodes.input;
}

/** A release that is not what was sealed, or whose parts do not agree (exit code 2). */
export class DamagedError extends InputError {}

/** A release that the quality gate refuses (exit code 3). */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly exitCode = exitCodes.refused;
}

/** Another sync is at work in the same data folder (exit code 4). */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly exitCode = exitCodes.locked;
}
