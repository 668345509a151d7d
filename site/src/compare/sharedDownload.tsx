// Offers all shared recipients as a CSV file, which the browser makes from all pages of them.
import { useState } from "preact/hooks";
import { sharedRecipientsCall } from "../api/calls.ts";
import type { SharedRecipients } from "../api/client.ts";
import { Icon } from "../parts/icon.tsx";
import { formatSharedCsv } from "./sharedCsv.ts";

type Properties = {
  readonly eins: readonly string[];
  readonly year: number | undefined;
  /** The release whose table is shown; undefined while there is none to save. */
  readonly release: string | undefined;
};

/** A button that saves "shared-recipients.csv"; its place is reserved until there is something to save. */
export function SharedDownload({ eins, year, release }: Properties) {
  const [state, setState] = useState<"idle" | "loading" | "failed">("idle");
  const save = async () => {
    setState("loading");
    const shared = await loadShared(eins, year, release);
    setState(shared === undefined ? "failed" : "idle");
    if (shared === undefined) return;
    const url = URL.createObjectURL(new Blob([formatSharedCsv(shared, eins)], { type: "text/csv" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: "shared-recipients.csv" });
    link.click();
    URL.revokeObjectURL(url);
  };
  const isReady = release !== undefined && state !== "loading";
  return (
    <>
      <button type="button" class="button" disabled={!isReady} onClick={save}>
        <Icon name="download" /> Shared recipients, CSV
      </button>
      {state === "failed" ? <p role="alert">The file could not be made. Please try again.</p> : null}
    </>
  );
}

const pageSize = 1_000;

/** All shared recipients, from one release; undefined if a call fails. */
async function loadShared(
  eins: readonly string[],
  year: number | undefined,
  release: string | undefined,
): Promise<SharedRecipients["data"] | undefined> {
  const all: SharedRecipients["data"] = [];
  const { signal } = new AbortController();
  let total = 1;
  while (all.length < total) {
    const window = { limit: pageSize, offset: all.length };
    const answer = await sharedRecipientsCall(eins, year, window).ask(signal, release);
    if (!answer.isFound || answer.body.data.length === 0) return undefined;
    all.push(...answer.body.data);
    total = answer.body.total;
  }
  return all;
}
