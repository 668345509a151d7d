// Writes a call in the forms that people copy.
import { formatCounted, formatDay } from "../text/numbers.ts";
import type { Status } from "./client.ts";

/** The form of a call that people copy; a pinned one is a URL that names its release. */
export type CallForm = "URL" | "curl" | "fetch" | "Pinned";

/** The text of a call in one of the forms. */
export function formatAs(form: CallForm, url: string): string {
  if (form === "curl") return `curl '${url.replaceAll("'", "%27")}'`;
  if (form === "fetch") return `const answer = await (await fetch(${JSON.stringify(url)})).json();`;
  return url;
}

/** How long a pinned URL works; with a date if a sync is scheduled every night, and the release is the current one. */
export function describePinned(release: string | undefined, status: Status | undefined): string {
  if (status === undefined) return "Works as long as this release is kept: save what you cite.";
  const { releases_kept, sync_scheduled, next_sync } = status;
  const newer = `${formatCounted(releases_kept, "newer release")} ${releases_kept === 1 ? "exists" : "exist"}`;
  if (!sync_scheduled || release !== status.release) return `Works until ${newer}: save what you cite.`;
  const last = new Date(next_sync);
  last.setUTCDate(last.getUTCDate() + releases_kept - 1); // each night may make a release
  return `Works until ${newer}, with nightly syncs ${formatDay(last)} or later: save what you cite.`;
}
