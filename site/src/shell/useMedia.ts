// Follows a media query, for what styles alone cannot change.
import { useEffect, useState } from "preact/hooks";

/** True while the query matches, e.g., "(max-width: 700px)". */
export function useMedia(query: string): boolean {
  const [isMatch, setIsMatch] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setIsMatch(list.matches);
    onChange();
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return isMatch;
}

/** Rows are cards and filters are folded up to this width. */
export const phone = "(max-width: 700px)";
