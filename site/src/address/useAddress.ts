// Follows the page's address: a search is one entry of the history; going back restores scroll and focus.
import { useCallback, useEffect, useState } from "preact/hooks";

/** What a history entry remembers beside its address. */
type Entry = {
  /** The release whose pages are being walked, so that paging has no gap if a sync happens meanwhile. */
  readonly release?: string;
  readonly scroll?: number;
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
  /** Puts scroll and focus back where they were; call it once the rows are shown. */
  readonly restore: () => void;
};

/** The page's address. The component renders again when it changes. */
export function useAddress(): Address {
  const [place, setPlace] = useState(() => ({ ...read(), isReturn: readEntry().scroll !== undefined }));

  useEffect(() => {
    history.scrollRestoration = "manual"; // the rows are not there yet when the browser would scroll
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

/** Writes the present scroll and focus into the history's entry. */
function remember(): void {
  const { focus: _, ...entry } = readEntry();
  const focus = document.activeElement?.id ?? "";
  history.replaceState({ ...entry, scroll: Math.round(scrollY), ...(focus === "" ? {} : { focus }) }, "");
}
