// Starts a page in a pinned release: says which it is, and what to do once it is no longer kept.
import { type ComponentType, render } from "preact";
import { statusCall } from "../api/calls.ts";
import { pinnedRelease } from "../api/client.ts";
import { formatDay } from "../text/numbers.ts";

/** The addresses that exist in every release. Feeds have no release. */
const inRelease = /^\/(?:v1\/(?!.*\.(?:atom|feed\.json)$).*|funder|recipient|compare|groups)?$/;

/** Fills the main part with the page, or with another one. */
type Fill = (Shown?: ComponentType) => void;

export async function startPinned(fill: Fill): Promise<void> {
  const answer = await statusCall.ask();
  if (!answer.isFound && answer.failure.code === "release_not_found") {
    document.title = "This release is no longer kept – Grant History";
    return fill(Gone);
  }
  const main = document.getElementById("main");
  const bar = document.createElement("aside");
  bar.ariaLabel = "Release of this page";
  main?.before(bar);
  const day = answer.isFound ? `, synced ${formatDay(answer.body.synced_at)}` : "";
  render(
    <p class="pinned-bar">
      <span class="wide">
        The data as they were in release {pinnedRelease}
        {day}. <CurrentLink />
      </span>
    </p>,
    bar,
  );
  for (const event of ["pointerdown", "focusin", "click"]) main?.addEventListener(event, keepRelease, true);
  fill();
}

/** Leads a link of the page to the same release, before it is followed. */
function keepRelease({ target }: Event): void {
  const link = (target as Element).closest("a[href]");
  const { origin, pathname, search, hash } = new URL(link?.getAttribute("href") ?? "#", location.href);
  if (origin === location.origin && inRelease.test(pathname))
    link?.setAttribute("href", `/r/${pinnedRelease}${pathname}${search}${hash}`);
}

/** The address of the page without its release. */
function currentHref(): string {
  return location.pathname.replace(/^\/r\/[^/]+/, "") + location.search;
}

/** The page's query may have changed when it is followed. */
function CurrentLink() {
  return (
    <a
      href={currentHref()}
      onClick={(event) => {
        event.currentTarget.href = currentHref();
      }}
    >
      Show the current data
    </a>
  );
}

function Gone() {
  return (
    <div class="wide page">
      <h1>This release is no longer kept</h1>
      <p class="lede">
        The address is of release {pinnedRelease}. Newer ones have taken its place, in which sums may differ.
      </p>
      <ul class="gone">
        <li>
          <CurrentLink />: the same page in the newest release.
        </li>
        <li>
          If you have the evidence of a citation, it names the grants and their returns: each is still at{" "}
          <code>/v1/grants/</code> and its id, unless it was withdrawn.
        </li>
        <li>
          A copy of the release’s <code>grants.parquet</code> with the same SHA-256 gives the same sum.
        </li>
      </ul>
    </div>
  );
}
