// Owns how a pipeline command can fail: one exit code for each kind, and one sentence for people.

/** Exit codes of every pipeline command. */
export const exitCodes = { done: 0, unexpected: 1, input: 2, refused: 3, locked: 4 } as const;

/** Input or settings at fault (exit code 2). The message says what, where and what was expected. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly exitCode = exitCodes.input;
}
