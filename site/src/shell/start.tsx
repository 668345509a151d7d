// Starts a page: renders it into the frame, with the small search box and the release in the footer.
import { type ComponentType, render } from "preact";
import { useStatus } from "../api/useStatus.ts";
import { FindBox } from "../search/findBox.tsx";
import { formatClock, formatDay } from "../text/numbers.ts";

/** Renders a page into `#main`, and what the frame has a place for. */
export function startPage(Page: ComponentType): void {
  for (const [id, Part] of [
    ["main", Page],
    ["find", FindBox],
    ["release", ReleaseLine],
  ] as const) {
    const place = document.getElementById(id);
    if (place === null) continue;
    place.replaceChildren();
    render(<Part />, place);
  }
  addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Element).tagName);
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    document.getElementById("box")?.focus();
  });
}

/** The release that is served, when it was synced, and when the next sync starts. */
function ReleaseLine() {
  const { found } = useStatus();
  if (found === undefined) return <a href="/status">Status of the data</a>;
  const { release, synced_at, next_sync } = found.body;
  return (
    <>
      Release <a href="/status">{release}</a>, synced {formatDay(synced_at)}. Next sync at{" "}
      {formatClock(next_sync)} UTC.
    </>
  );
}
