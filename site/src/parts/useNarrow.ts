// Follows whether the window is as narrow as a phone's, where parts change their place and not only their style.
import { useEffect, useState } from "preact/hooks";

const narrow = matchMedia("(max-width: 700px)");

/** True up to 700 px. */
export function useNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(narrow.matches);
  useEffect(() => {
    const follow = () => setIsNarrow(narrow.matches);
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);
  return isNarrow;
}
