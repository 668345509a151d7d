// Runs `make sample`: writes a synthetic warehouse of the size and in the folder that the settings name.
import { type Environment, readInteger, readText } from "../../api-static/contract/environment.ts";
import { runCommand, type Streams } from "../../pipeline/base/command.ts";
import { formatCount } from "../../pipeline/base/progress.ts";
import { readMemory, readThreads } from "../../pipeline/base/settings.ts";
import { type SampleOptions, writeSample } from "./sample.ts";

/** @throws SettingError that names a wrong setting, its rule and its value */
export function readSampleSettings(environment: Environment): SampleOptions {
  const memory = readMemory(environment);
  const folder = readText(environment, "OUT", "data/warehouse");
  return {
    rows: readInteger(environment, "ROWS", 200_000, 1, 200_000_000),
    seed: readInteger(environment, "SEED", 1, 0, 2 ** 31 - 1),
    folder,
    memory,
    threads: readThreads(environment, memory),
    spillFolder: `${folder}.spill`,
  };
}

/** Writes the sample and returns the exit code. */
export function main(environment: Environment, streams: Streams): Promise<number> {
  return runCommand("sample", environment, streams, async () => {
    const settings = readSampleSettings(environment);
    const { files, rows, bytes } = await writeSample(settings);
    return `sample: ${formatCount(rows)} rows in ${files.length} files, ${formatCount(bytes / 1e6)} MB, in ${settings.folder}`;
  });
}

if (import.meta.main) process.exitCode = await main(process.env, process);
