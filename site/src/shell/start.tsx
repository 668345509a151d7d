// Starts a page: renders it into the frame, with the small search box and the release in the footer.
import { type ComponentType, render } from "preact";
import { focusOpened } from "../address/opened.ts";
import { pinnedRelease } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import { FindBox } from "../search/findBox.tsx";
import { formatClock, formatDay } from "../text/numbers.ts";

/** Renders a page into `#main`, and the dynamic parts of the frame. */
export function startPage(Page: ComponentType): void {
  const main = document.getElementById("main");
  if (main !== null) focusOpened(main);
  if (pinnedRelease === undefined) fill("main", Page);
  else import("./pinned.tsx").then(({ startPinned }) => startPinned((Shown = Page) => fill("main", Shown)));
  startFrame();
}

/** Renders the dynamic parts of the frame: the small search box and the release. */
export function startFrame(): void {
  fill("find", FindBox);
  fill("release", ReleaseLine);
  addPrintHead();
  document.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Element).tagName);
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.getElementById("box")?.focus();
  });
}

function fill(id: string, Part: ComponentType): void {
  const place = document.getElementById(id);
  if (place === null) return;
  place.replaceChildren();
  render(<Part />, place);
}

/** The release that is served, when it was synced, and when the next sync starts if one is scheduled, and whether the grants are made up. */
function ReleaseLine() {
  const { found } = useStatus();
  if (found === undefined) return <a href="/status">Status of the data</a>;
  const { release, synced_at, next_sync, sync_scheduled, synthetic } = found.body;
  return (
    <>
      Release <a href="/status">{release}</a>, synced {formatDay(synced_at)}.
      {sync_scheduled ? ` Next sync at ${formatClock(next_sync)} UTC.` : ""}
      {synthetic ? " Synthetic sample data." : ""}
    </>
  );
}

/** Puts a line above the page that only paper shows. It is written when printing starts, as the address may change. */
function addPrintHead(): void {
  const head = document.createElement("p");
  head.className = "print-head";
  document.getElementById("main")?.before(head);
  addEventListener("beforeprint", () => {
    const release = document.getElementById("release")?.textContent ?? "";
    head.textContent = `${location.href} · ${release} Printed ${formatDay(new Date())}.`;
  });
}
