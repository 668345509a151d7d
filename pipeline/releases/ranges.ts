// Finds the ranges of funders that machines made, and checks that together they are the whole warehouse.
import { isDeepStrictEqual } from "node:util";
import { checkCeiling } from "../base/ceilings.ts";
import { findEinProblem } from "../base/eins.ts";
import { InputError } from "../base/failure.ts";
import { findCurrent } from "./current.ts";
import { releaseFolder } from "./folders.ts";
import type { Manifest, RangeFacts } from "./manifest.ts";

/** What a range must have in common with the others. */
export type RangeInputs = Pick<Manifest, "schema_version" | "sources">;

/** A range of funders in its data folder. */
export type FoundRange = {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly facts: RangeFacts;
};

/**
 * The ranges in data folders, by EIN.
 * @param inputs of the sync that joins them
 * @throws InputError if one is missing, was made from another warehouse or by another version, or if they do not have every EIN once
 */
export async function findRanges(folders: readonly string[], inputs: RangeInputs): Promise<FoundRange[]> {
  const found: FoundRange[] = [];
  for (const data of folders) {
    const current = await findCurrent(data);
    const facts = current?.manifest.range;
    if (current === undefined || facts === undefined)
      throw new InputError(`RANGES: "${data}" has no range of funders; make it with \`make sync EINS=…\``);
    const range = { folder: releaseFolder(data, current.id), manifest: current.manifest, facts };
    if (!isRangeOf(range, inputs) || facts.next_year !== (found[0] ?? range).facts.next_year)
      throw new InputError(
        `RANGES: "${data}" was made from other files than WAREHOUSE has, from other duplicates, or by another version; make it again`,
      );
    found.push(range);
  }
  const problem = folders.length === 0 ? undefined : findEinProblem(found.map(({ facts }) => facts.eins));
  if (problem !== undefined) throw new InputError(`RANGES: ${problem}`);
  const records = found.reduce((sum, { manifest }) => sum + manifest.totals.records, 0);
  checkCeiling("rows", records, "RANGES");
  return found.sort((a, b) => a.facts.eins.first - b.facts.eins.first);
}

/** True if a range was made from these files by this version. */
export function isRangeOf({ manifest }: Pick<FoundRange, "manifest">, inputs: RangeInputs): boolean {
  const { schema_version, sources } = manifest;
  const expected = { schema_version: inputs.schema_version, sources: inputs.sources };
  return isDeepStrictEqual({ schema_version, sources }, expected);
}
