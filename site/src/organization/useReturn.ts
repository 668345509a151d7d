// Moves focus and scroll once rows are shown: to their earlier place, or to the heading of new rows.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Address } from "../address/useAddress.ts";

/**
 * Waits for the rows of an address.
 * @param shown names the rows that are shown; undefined while they are awaited
 * @returns the reference of the heading, and a function to call before moving to rows
 */
export function useReturn(address: Address, shown: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isWanted = useRef(false);
  const restored = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (shown === undefined) return;
    if (address.isReturn && restored.current !== address.search) {
      restored.current = address.search;
      address.restore();
    } else if (isWanted.current) {
      heading.current?.focus();
      heading.current?.scrollIntoView();
    }
    isWanted.current = false;
    if (!address.isReturn) restored.current = undefined;
  }, [shown, address.search, address.isReturn]);
  return {
    heading,
    showRows: () => {
      isWanted.current = true;
    },
  };
}
