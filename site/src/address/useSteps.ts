// Follows the links within a page without loading it again, and puts the focus where the reader goes on.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Address } from "./useAddress.ts";

/**
 * Follows clicks on links that change only the query of the page's address. A link inside an element with `data-release`
 * stays in that release. Once rows are shown, the heading has the focus after a step; after a return, the element that had it.
 * @param headingId `id` of the heading of the rows
 * @param isShown true once the rows of the address, or a reason why there are none, are shown
 * @param repeat is called for a step to the address of the page
 * @returns a function that goes to a query of the page; without `isStep` the focus stays
 */
export function useSteps(
  address: Address,
  headingId: string,
  isShown: boolean,
  repeat: () => void,
): (search: string, isStep: boolean, release?: string) => void {
  const isWanted = useRef(false);
  const restored = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (!isShown) return;
    if (address.isReturn && restored.current !== address.search) address.restore();
    else if (isWanted.current) focusHeading(headingId);
    isWanted.current = false;
    restored.current = address.isReturn ? address.search : undefined;
  }, [isShown, address.search, address.isReturn]);

  const go = (search: string, isStep: boolean, release?: string) => {
    if (search === address.search && release === address.release) return repeat();
    isWanted.current = isStep;
    address.go(search, release);
  };
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = findLink(event);
      if (link === undefined) return;
      event.preventDefault();
      latest.current(link.search, true, link.release);
    };
    addEventListener("click", onClick);
    return () => removeEventListener("click", onClick);
  }, []);
  return go;
}

/** The link that was clicked; undefined if it leads elsewhere, to a new tab, or was followed already. */
function findLink(event: MouseEvent): { search: string; release: string | undefined } | undefined {
  const link = (event.target as Element).closest("a[href]");
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  if (link === null || isElsewhere || event.defaultPrevented || link.hasAttribute("download"))
    return undefined;
  const to = new URL(link.getAttribute("href") ?? "", location.href); // links in drawings too
  const isSamePage = to.origin === location.origin && to.pathname === location.pathname && to.hash === "";
  const pinned = link.closest<HTMLElement>("[data-release]");
  return isSamePage ? { search: to.search, release: pinned?.dataset.release } : undefined;
}

/** Moves the focus to the heading, and scrolls only if it is above the window or in its lower half. */
function focusHeading(id: string): void {
  const heading = document.getElementById(id);
  const { top = 0 } = heading?.getBoundingClientRect() ?? {};
  heading?.focus({ preventScroll: true });
  if (top < 0 || top > innerHeight / 2) heading?.scrollIntoView();
}
