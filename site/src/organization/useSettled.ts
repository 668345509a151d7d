// Waits a moment for first answers, so that a page is drawn once and nothing moves.
import { useRef } from "preact/hooks";
import type { Progress } from "../api/useCall.ts";

/**
 * True once the page can be drawn; it stays true while other answers are awaited.
 * @param isNamed whether the name is known, or that there is none: the name decides the number of lines
 * @param calls are awaited up to 150 ms: their places can be kept
 */
export function useSettled(isNamed: boolean, ...calls: readonly Progress<unknown>[]): boolean {
  const isSettled = useRef(false);
  const isLate = calls.some(({ state }) => state === "slow"); // waiting for the name ends after 1.5 s
  if ((isNamed || isLate) && calls.every(({ state }) => state !== "asking")) isSettled.current = true;
  return isSettled.current;
}
