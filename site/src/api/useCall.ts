// Makes a call and follows it: waiting, slow, found, failed, tried again. Old results stay until new ones arrive.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Call, statusCall } from "./calls.ts";
import type { Answer, Failure, Status } from "./client.ts";

/** A shorter wait shows nothing; a longer one shows a skeleton, then words and a way to stop. */
const skeletonAfter = 150;
const slowAfter = 1_500;

/** Maximum answers kept for going back: about 100 KB each. */
const keptAnswers = 30;

export type Progress<Body> = {
  /** The last answer that was found; of an earlier call while `isWaiting`, or after a failure. */
  readonly found: { body: Body; release: string | undefined; receivedAt: Date; href: string } | undefined;
  /** The failure of the current call. */
  readonly failure: Failure | undefined;
  /** `waiting` after 150 ms without an answer, `slow` after 1.5 s; `stopped` by the reader. */
  readonly state: "idle" | "asking" | "waiting" | "slow" | "found" | "failed" | "stopped";
  /** Seconds until the automatic retry; undefined if there is none. */
  readonly retryIn: number | undefined;
  /** Repeats the call; the previous answer stays until the new one arrives. */
  readonly retry: () => void;
  readonly stop: () => void;
};

type Found = Extract<Answer<unknown>, { isFound: true }>;

/** Answers by call, newest last, so that back and forward need no request. */
const kept = new Map<string, Found>();

/** Running calls, each shared by all its users. */
const asking = new Map<string, { answer: Promise<Answer<unknown>>; stop: () => void; waiting: number }>();

/** Makes a call before the page is drawn; the page's `useCall` of the same call takes its answer. */
export function askEarly<Body>(call: Call<Body>, release?: string): void {
  share(call, release).waiting -= 1; // it has no user yet, and nothing stops it
}

/** The running call, or a new one. Each user calls `leave` when it no longer needs the answer. */
function share<Body>(call: Call<Body>, release: string | undefined) {
  const key = keyOf(call, release);
  const begun = asking.get(key);
  if (begun !== undefined) {
    begun.waiting += 1;
    return begun;
  }
  const controller = new AbortController();
  const answer = call.ask(controller.signal, release);
  const shared = { answer, stop: () => controller.abort(), waiting: 1 };
  const forget = () => {
    if (asking.get(key) === shared) asking.delete(key);
  };
  answer.then(forget, forget);
  asking.set(key, shared);
  return shared;
}

/** Stops waiting for a call; the last user to leave stops it. */
function leave(key: string, shared: { stop: () => void; waiting: number }): void {
  shared.waiting -= 1;
  if (shared.waiting > 0) return;
  shared.stop();
  asking.delete(key);
}

function keyOf(call: Call<unknown>, release: string | undefined): string {
  return `${release === undefined ? "" : `/r/${release}`}${call.href}`;
}

/**
 * Makes a call whenever its URL changes, and stops the previous one.
 * @param call undefined makes none
 * @param release the pinned release to ask
 */
export function useCall<Body>(call: Call<Body> | undefined, release?: string): Progress<Body> {
  const key = call === undefined ? undefined : keyOf(call, release);
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState<Omit<Progress<Body>, "retry" | "stop">>(() =>
    start(undefined, key),
  );
  const stopping = useRef<() => void>(undefined);
  const retriedKey = useRef<string>(undefined);
  const latest = useRef(call);
  latest.current = call;

  useEffect(() => {
    const asked = latest.current;
    if (asked === undefined || key === undefined) return setProgress(start(undefined, undefined));
    setProgress((before) => start(before.found, key));
    if (kept.has(key)) return undefined;
    let isLeft = false;
    const shared = share(asked, release);
    const to = (state: "waiting" | "slow") => () => setProgress((before) => ({ ...before, state }));
    const timers = [setTimeout(to("waiting"), skeletonAfter), setTimeout(to("slow"), slowAfter)];
    const leaveOnce = () => {
      timers.forEach(clearTimeout);
      if (!isLeft) leave(key, shared);
      isLeft = true;
    };
    stopping.current = leaveOnce;
    shared.answer.then(
      (answer) => {
        timers.forEach(clearTimeout);
        if (isLeft) return;
        isLeft = true;
        if (answer.isFound) {
          keep(key, answer as Found);
          setProgress(start(undefined, key));
        } else {
          const retryIn = findRetry(answer.failure, retriedKey.current === key);
          setProgress((before) => ({ ...before, state: "failed", failure: answer.failure, retryIn }));
        }
      },
      () => timers.forEach(clearTimeout), // stopped
    );
    return leaveOnce;
  }, [key, round]);

  const retry = useCallback(() => {
    if (key !== undefined) kept.delete(key);
    setRound((before) => before + 1);
  }, [key]);
  const stop = useCallback(() => {
    stopping.current?.();
    setProgress((before) => ({ ...before, state: "stopped" }));
  }, []);

  // Counts down to the one automatic retry.
  useEffect(() => {
    const { retryIn } = progress;
    if (retryIn === undefined) return undefined;
    const timer = setTimeout(() => {
      if (retryIn > 1) return setProgress((before) => ({ ...before, retryIn: retryIn - 1 }));
      retriedKey.current = key;
      setRound((before) => before + 1);
    }, 1_000);
    return () => clearTimeout(timer);
  }, [key, progress.retryIn]);

  return { ...progress, retry, stop };
}

/** The first state of a call: found if its answer is kept, otherwise asking, with the previous rows. */
function start<Body>(
  before: Progress<Body>["found"],
  key: string | undefined,
): Omit<Progress<Body>, "retry" | "stop"> {
  const nothing = { failure: undefined, retryIn: undefined };
  if (key === undefined) return { ...nothing, found: undefined, state: "idle" };
  const answer = kept.get(key);
  if (answer === undefined) return { ...nothing, found: before, state: "asking" };
  const { body, release, receivedAt } = answer;
  return { ...nothing, found: { body: body as Body, release, receivedAt, href: key }, state: "found" };
}

/** Seconds until a failed call is tried again: once, after the seconds in `Retry-After`; every 30 seconds before the first release. */
function findRetry({ code, retryAfter }: Failure, isRetried: boolean): number | undefined {
  if (code === "not_ready") return 30; // the server expects to be ready within seconds; a first sync takes longer
  return isRetried ? undefined : retryAfter;
}

function keep(key: string, answer: Found): void {
  kept.delete(key);
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > keptAnswers && oldest !== undefined) kept.delete(oldest);
}

/** The release that is served. */
export function useStatus(): Progress<Status> {
  return useCall(statusCall);
}

/** The answer to a call; undefined while the answer to an earlier one is still shown, whose numbers would be wrong. */
export function findCurrent<Body>(
  { state, found }: Progress<Body>,
  call: Call<Body> | undefined,
): Body | undefined {
  const isCurrent = state === "found" && call !== undefined && found?.href.endsWith(call.href);
  return isCurrent ? found?.body : undefined;
}
