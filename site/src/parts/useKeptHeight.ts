// Keeps an element as high as it has been, so that nothing below it moves when its content becomes less.
import { useLayoutEffect, useRef } from "preact/hooks";

/** The ref of the element. @param isKept false lets it become lower, too */
export function useKeptHeight<Of extends HTMLElement>(isKept = true): { readonly current: Of | null } {
  const box = useRef<Of>(null);
  useLayoutEffect(() => {
    if (isKept && box.current !== null) box.current.style.minHeight = `${box.current.offsetHeight}px`;
  });
  return box;
}
