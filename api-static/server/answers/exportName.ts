// Names the CSV file of an export after its filters and the day of its release.
import { filtersIn } from "../../contract/filters/table.ts";
import type { GroupsExportRequest } from "../../contract/operations/groups.ts";
import type { ExportRequest } from "../../contract/operations/searches.ts";

/** Characters of a name before its day, at most. */
const maxLength = 80;

/** The words before values that would be unclear by themselves. */
const leads: Readonly<Record<string, string>> = {
  recipient_ein: "to",
  min_year: "since",
  max_year: "until",
  min_amount: "min",
  max_amount: "max",
  matched: "likely",
};

/**
 * The name of the file: letters, digits and hyphens, the same on every host for a URL and a release, e.g.,
 * "grants-music-CA-2026-11-28.csv".
 * @param syncedAt the time of the release, ISO 8601
 */
export function nameExport(request: ExportRequest | GroupsExportRequest, syncedAt: string): string {
  const by = request.kind === "groupsExport" ? ["by", request.by] : [];
  const words = filtersIn(request.filters)
    .filter(({ name }) => name !== "match")
    .flatMap(({ name, format }) => [leads[name] ?? "", format(request.filters)?.replace(/\.00$/, "") ?? ""]);
  const text = ["grants", ...by, ...words]
    .join("-")
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "") // é becomes e
    .replaceAll(/[^A-Za-z0-9]+/g, "-");
  return `${text.slice(0, maxLength).replace(/-$/, "")}-${syncedAt.slice(0, 10)}.csv`;
}
