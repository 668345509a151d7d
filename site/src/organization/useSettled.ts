// Waits a moment for first answers, so that a page is drawn once and nothing moves.
import { useRef } from "preact/hooks";
import type { Progress } from "../api/useCall.ts";

/**
 * True once the page can be drawn; it stays true while other answers are awaited.
 * @param lookup decides how many lines the name takes, so it is awaited up to 1.5 s
 * @param calls are awaited up to 150 ms: their places can be kept
 */
export function useSettled(lookup: Progress<unknown>, ...calls: readonly Progress<unknown>[]): boolean {
  const isSettled = useRef(false);
  const isNamed = lookup.state !== "asking" && lookup.state !== "waiting";
  if (isNamed && calls.every(({ state }) => state !== "asking")) isSettled.current = true;
  return isSettled.current;
}
