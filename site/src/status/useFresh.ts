// Follows the time, and repeats a call whose answer is old.
import { useEffect, useState } from "preact/hooks";

/** Milliseconds between two readings of the clock. */
const tick = 15_000;

/** The time; the component renders again every 15 seconds. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), tick);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Milliseconds after which a call is repeated, if the page is visible. */
const staleAfter = 5 * 60_000;

/** Calls `refresh` when the answer is five minutes old and the page is visible, and when the network is back. */
export function useRefresh(receivedAt: Date | undefined, now: Date, refresh: () => void): void {
  const isStale = receivedAt !== undefined && now.getTime() - receivedAt.getTime() > staleAfter;
  useEffect(() => {
    if (isStale && document.visibilityState === "visible") refresh();
  }, [isStale, now, refresh]);
  useEffect(() => {
    addEventListener("online", refresh);
    return () => removeEventListener("online", refresh);
  }, [refresh]);
}
