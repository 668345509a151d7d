// Cites a total: a sentence to copy, and its evidence to save.
import { useState } from "preact/hooks";
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import { grantCall } from "../api/calls.ts";
import type { Status } from "../api/client.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import type { Checks, Filing } from "./checks.ts";
import { type Cited, type CitedReturn, evidenceName, formatCitation, formatEvidence } from "./evidence.ts";
import type { Reading } from "./useGrants.ts";

type Properties = Pick<Cited, "sum" | "query" | "known" | "release"> & {
  readonly checks: Checks | undefined;
  readonly reading: Reading;
  readonly status: Status;
};

/** The citation, and a button that saves the evidence. */
export function Cite({ checks, reading, status, ...others }: Properties) {
  const [isSaving, setIsSaving] = useState(false);
  const cited: Cited = {
    ...others,
    syncedAt: status.synced_at,
    isSynthetic: status.synthetic,
    address: pinnedAddress(others.release),
    now: new Date(),
  };
  const save = async () => {
    setIsSaving(true);
    const [sha256, returns] = await Promise.all([
      readDigest(cited.release),
      status.returns > 0 ? readReturns(checks?.filings ?? [], cited.release) : [],
    ]);
    const ids = checks && reading.grants.map(({ id }) => id);
    const url = URL.createObjectURL(
      new Blob([formatEvidence(cited, { checks, ids, returns, sha256 })], { type: "application/json" }),
    );
    Object.assign(document.createElement("a"), { href: url, download: evidenceName(cited.release) }).click();
    URL.revokeObjectURL(url);
    setIsSaving(false);
  };
  const text = formatCitation(cited);
  return (
    <>
      <p class="citation">{text}</p>
      <div class="cite-buttons">
        <CopyButton text={() => text} what="the citation" />
        <button
          type="button"
          class="button"
          disabled={isSaving || reading.state === "reading"}
          onClick={save}
        >
          <Icon name="download" /> Save the evidence
        </button>
      </div>
      <p class="note">
        The address opens this page in its release as long as that is kept. The evidence (JSON) has the
        grants’ ids, their returns, the release’s digest, and how to compute the sum again from the downloads.
      </p>
    </>
  );
}

/** The address of this page in a release. */
function pinnedAddress(release: string): string {
  const path = location.pathname.replace(/^\/r\/[^/]+/, "");
  return `${location.origin}/r/${release}${path}${location.search}`;
}

/** The digest of the release's grants; undefined if it has no downloads. */
async function readDigest(release: string): Promise<string | undefined> {
  try {
    const response = await fetch(`/r/${release}/${downloadKey("datapackage.json")}`);
    const { resources } = (await response.json()) as { resources: { path: string; hash: string }[] };
    return resources.find(({ path }) => path === "grants.parquet")?.hash.replace("sha256:", "");
  } catch {
    return undefined;
  }
}

/** The evidence names no more returns than these: each is a call. */
const citedReturnsMax = 100;

async function readReturns(filings: readonly Filing[], release: string): Promise<CitedReturn[]> {
  const returns: CitedReturn[] = [];
  for (const { id, funder, records } of filings.slice(0, citedReturnsMax)) {
    const answer = await grantCall(id).ask(undefined, release);
    const source = answer.isFound ? answer.body.source : null;
    if (source !== null) returns.push({ funder_ein: funder, ...source, grants: records });
  }
  return returns;
}
