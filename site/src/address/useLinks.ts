// Follows links within a page without loading the page again.
import { useEffect, useRef } from "preact/hooks";

/**
 * Follows clicks on links that change only the query of the page's address.
 * @param go follows a query, e.g., "?ein=200253310&transaction_year=2016"
 */
export function useLinks(go: (search: string) => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const search = findQuery(event);
      if (search === undefined) return;
      event.preventDefault();
      latest.current(search);
    };
    addEventListener("click", onClick);
    return () => removeEventListener("click", onClick);
  }, []);
}

/** The query of the link that was clicked; undefined if it leads elsewhere, to a new tab, or was followed already. */
function findQuery(event: MouseEvent): string | undefined {
  const link = (event.target as Element).closest("a[href]");
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  if (link === null || isElsewhere || event.defaultPrevented || link.hasAttribute("download"))
    return undefined;
  const to = new URL(link.getAttribute("href") ?? "", location.href); // links in drawings too
  const isSamePage = to.origin === location.origin && to.pathname === location.pathname && to.hash === "";
  return isSamePage ? to.search : undefined;
}
