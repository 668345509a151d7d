// Sets the page's title, which leads with the result.
import { useEffect } from "preact/hooks";

/** Sets the title once it is known. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
}
