// Follows whether the window is as narrow as a phone's, where parts change their place and not only their style.
import { useEffect, useState } from "preact/hooks";

/** True up to a width in px. */
export function useNarrow(width = 700): boolean {
  const [narrow] = useState(() => matchMedia(`(max-width: ${width}px)`));
  const [isNarrow, setIsNarrow] = useState(narrow.matches);
  useEffect(() => {
    const follow = () => setIsNarrow(narrow.matches);
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
