// Defines how a pipeline command can fail: the kinds of failure and their exit codes.

/** Exit codes of every pipeline command. */
export const exitCodes = { done: 0, unexpected: 1, input: 2, refused: 3, locked: 4 } as const;

/** Wrong input or settings (exit code 2). The message says what is wrong, where, and what was expected. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly exitCode = exitCodes.input;
}

/** A release that differs from what was sealed, or whose parts contradict each other (exit code 2). */
export class DamagedError extends InputError {}

/** Page files of an earlier release are damaged, so that they cannot be linked. Building all pages again helps. */
export class DamagedPagesError extends DamagedError {}

/** Problems listed in one message; the others are counted. */
const maxProblemsShown = 20;

/**
 * Does nothing if there are no problems.
 * @param what is damaged, as the message starts
 * @throws DamagedError, or the given kind of it, that names the problems
 */
export function throwDamaged(what: string, problems: readonly string[], Kind = DamagedError): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, maxProblemsShown);
  if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
  throw new Kind(`${what}:\n  ${shown.join("\n  ")}`);
}

/** The quality gate refused a release (exit code 3). */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly exitCode = exitCodes.refused;
}

/** Another command is working in the same folder, or another publish in the same bucket (exit code 4). */
export class LockedError extends Error {
  override readonly name = "LockedError";
  readonly exitCode = exitCodes.locked;
}
