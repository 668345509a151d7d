// Reads the codes of system errors.

/** The code of a system error, e.g., "ENOENT"; undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** True if a path does not exist, or is a folder where a file was expected or the reverse. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? "");
}
