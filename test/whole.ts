// Declares tests that only the whole form runs.
import { it } from "vitest";
import { isWhole } from "./proofs.ts";

/** Declares a test that takes long and runs only with PROOFS=whole; the short form prints that it is left out. */
export function itWhole(name: string, work: () => Promise<void>, timeout?: number): void {
  if (!isWhole) console.log(`short form: without "${name}"; make proofs runs it`);
  it.runIf(isWhole)(name, work, timeout);
}
