// Waits a moment for first answers, so that a page is drawn once and nothing moves.
import { useRef } from "preact/hooks";
import type { Progress } from "../api/useCall.ts";

/** True once every call has an answer, or is late; it stays true while other answers are awaited. */
export function useSettled(...calls: readonly Progress<unknown>[]): boolean {
  const isSettled = useRef(false);
  if (calls.every(({ state }) => state !== "asking")) isSettled.current = true;
  return isSettled.current;
}
