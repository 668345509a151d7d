// Runs one command of the project: prints its line or its failure, and returns its exit code.
import { inspect } from "node:util";
import { type Environment, SettingError } from "../../api-static/contract/environment.ts";
import { exitCodes, InputError, LockedError, RefusedError } from "./failure.ts";
import type { Output } from "./progress.ts";
import { explainSystemFailure } from "./systemFailures.ts";

/** Where a command writes: its one line to `stdout`, progress and failures to `stderr`. */
export type Streams = { readonly stdout: Output; readonly stderr: Output };

/**
 * Runs a command.
 * @param name of the command in messages, e.g., "sync"
 * @param work returns the line to print
 * @returns the exit code
 */
export async function runCommand(
  name: string,
  environment: Environment,
  { stdout, stderr }: Streams,
  work: () => Promise<string>,
): Promise<number> {
  try {
    stdout.write(`${await work()}\n`);
    return exitCodes.done;
  } catch (error) {
    const failure = asFailure(name, error, environment);
    stderr.write(`${name}: ${failure?.message ?? `unexpected failure: ${inspect(error)}`}\n`);
    return failure?.exitCode ?? exitCodes.unexpected;
  }
}

/** The failure to report, if a person can fix it: a failure of ours or of the machine; undefined for any other error. */
export function asFailure(
  command: string,
  error: unknown,
  environment: Environment,
): InputError | RefusedError | LockedError | undefined {
  if (error instanceof InputError || error instanceof RefusedError || error instanceof LockedError)
    return error;
  if (error instanceof SettingError) return new InputError(error.message, { cause: error });
  return explainSystemFailure({ command, environment, error });
}
