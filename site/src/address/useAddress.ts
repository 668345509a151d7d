// Follows the page's address: a search is one entry of the history; going back restores scroll and focus.
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";

/** State of a history entry, beside its address. */
type Entry = {
  /** The release to page through, so that a sync in between leaves no gap. */
  readonly release?: string;
  readonly scroll?: number;
  /** Height of the main part in px, so that the footer does not move. */
  readonly height?: number;
  /** `id` of the element that had the focus. */
  readonly focus?: string;
};

export type Address = {
  /** The query of the address, e.g., "?purpose=food". */
  readonly search: string;
  readonly release: string | undefined;
  /** True if the reader came by back, forward or reload: the page restores scroll and focus. */
  readonly isReturn: boolean;
  /** Goes to a query of this page, as a new entry of the history. @param release to stay in */
  readonly go: (search: string, release?: string) => void;
  /** Restores scroll and focus; call it once the rows are shown. */
  readonly restore: () => void;
};

/** The page's address. The component renders again when it changes. */
export function useAddress(): Address {
  const [place, setPlace] = useState(() => ({ ...read(), isReturn: readEntry().scroll !== undefined }));

  useLayoutEffect(() => {
    if (place.isReturn) keepHeight(readEntry().height ?? 0);
  }, [place]);

  useEffect(() => {
    history.scrollRestoration = "manual"; // the browser would scroll before the rows arrive
    const onReturn = () => setPlace({ ...read(), isReturn: true });
    const onLeave = () => remember();
    addEventListener("popstate", onReturn);
    addEventListener("pagehide", onLeave);
    addEventListener("scrollend", onLeave);
    return () => {
      removeEventListener("popstate", onReturn);
      removeEventListener("pagehide", onLeave);
      removeEventListener("scrollend", onLeave);
    };
  }, []);

  const go = useCallback((search: string, release?: string) => {
    remember();
    const entry: Entry = release === undefined ? {} : { release };
    history.pushState(entry, "", search === "" ? location.pathname : search);
    setPlace({ ...read(), isReturn: false });
  }, []);

  const restore = useCallback(() => {
    const { scroll, focus } = readEntry();
    keepHeight(0);
    if (scroll === undefined) return;
    scrollTo(0, scroll);
    if (focus !== undefined) document.getElementById(focus)?.focus({ preventScroll: true });
  }, []);

  return { ...place, go, restore };
}

function read(): { search: string; release: string | undefined } {
  return { search: location.search, release: readEntry().release };
}

function readEntry(): Entry {
  return (history.state ?? {}) as Entry;
}

/** Keeps the main part at least this high; 0 ends it. */
function keepHeight(height: number): void {
  const main = document.getElementById("main");
  if (main !== null) main.style.minHeight = height === 0 ? "" : `${height}px`;
}

/** Writes the current scroll, height and focus into the history's entry. */
function remember(): void {
  const { focus: _, ...entry } = readEntry();
  const focus = document.activeElement?.id ?? "";
  const height = document.getElementById("main")?.offsetHeight ?? 0;
  history.replaceState(
    { ...entry, scroll: Math.round(scrollY), height, ...(focus === "" ? {} : { focus }) },
    "",
  );
}
