// Recognizes folders of table formats: their Parquet files also have rows that were deleted or replaced since.
import { InputError } from "../base/failure.ts";

/** The folders by which a table is recognized. */
export const markerFolders = ["_delta_log", ".hoodie", "metadata"] as const;

/** A file in such a folder, after the table's own folder. */
const marker =
  /^(|.*?[/\\])(?:(_delta_log)|(\.hoodie)|metadata(?=[/\\][^/\\]*\.metadata\.json(?:\.gz)?$))[/\\]/s;

/**
 * @param setting with its value, as the error shows it
 * @param files that would be read
 * @param others paths of other files, below the same folders or above
 * @throws InputError that names the format if a file is part of a table
 */
export function checkNoTable(setting: string, files: readonly string[], others: Iterable<string>): void {
  for (const other of others) {
    const [match, table = "", delta, hudi] = marker.exec(other) ?? [];
    if (match === undefined || !files.some((file) => file.startsWith(table))) continue;
    const [name, format] = delta
      ? ["a Delta Lake", "delta"]
      : hudi
        ? ["a Hudi", "hudi"]
        : ["an Iceberg", "iceberg"];
    throw new InputError(
      `${setting}: "${table}" is ${name} table, whose files also have rows that were deleted or replaced. Export a snapshot into a new ` +
        `folder, such as with Spark: spark.read.format("${format}").load("${table}").write.parquet("snapshot"), and name that folder`,
    );
  }
}
