// Makes a call and follows it: waiting, slow, found, failed, tried again. Old results stay until new ones arrive.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Call } from "./calls.ts";
import type { Answer, Failure } from "./client.ts";

/** A shorter wait shows nothing; a longer one shows a skeleton, then words and a way to stop. */
const skeletonAfter = 150;
const slowAfter = 1_500;

/** How many answers are kept for going back: about 100 KB each. */
const keptAnswers = 30;

export type Progress<Body> = {
  /** The last answer that was found; of an earlier call while `isWaiting`, or after a failure. */
  readonly found: { body: Body; release: string | undefined; receivedAt: Date; href: string } | undefined;
  /** The failure of the present call. */
  readonly failure: Failure | undefined;
  /** `waiting` after 150 ms without an answer, `slow` after 1.5 s; `stopped` by the reader. */
  readonly state: "idle" | "asking" | "waiting" | "slow" | "found" | "failed" | "stopped";
  /** Seconds until it is tried again by itself; undefined if it is not. */
  readonly retryIn: number | undefined;
  readonly retry: () => void;
  readonly stop: () => void;
};

type Found = Extract<Answer<unknown>, { isFound: true }>;

/** Answers by call, newest last, so that back and forward need no request. */
const kept = new Map<string, Found>();

/**
 * Makes a call whenever its URL changes, and stops the one before.
 * @param call undefined makes none
 * @param release the pinned release to ask
 */
export function useCall<Body>(call: Call<Body> | undefined, release?: string): Progress<Body> {
  const key = call === undefined ? undefined : `${release ?? ""}${call.href}`;
  const [round, setRound] = useState(0);
  const [progress, setProgress] = useState<Omit<Progress<Body>, "retry" | "stop">>(() =>
    start(undefined, key),
  );
  const stopping = useRef<AbortController>(undefined);
  const isRetried = useRef(false);
  const latest = useRef(call);
  latest.current = call;

  useEffect(() => {
    const asked = latest.current;
    if (asked === undefined || key === undefined) return setProgress(start(undefined, undefined));
    const controller = new AbortController();
    stopping.current = controller;
    setProgress((before) => start(before.found, key));
    if (kept.has(key)) return undefined;
    const to = (state: "waiting" | "slow") => () => setProgress((before) => ({ ...before, state }));
    const timers = [setTimeout(to("waiting"), skeletonAfter), setTimeout(to("slow"), slowAfter)];
    const done = () => timers.forEach(clearTimeout);
    asked.ask(controller.signal, release).then(
      (answer) => {
        done();
        if (controller.signal.aborted) return;
        if (answer.isFound) {
          keep(key, answer);
          isRetried.current = false;
          setProgress(start(undefined, key));
        } else {
          const retryIn = isRetried.current ? undefined : answer.failure.retryAfter;
          setProgress((before) => ({ ...before, state: "failed", failure: answer.failure, retryIn }));
        }
      },
      () => done(), // aborted
    );
    return () => {
      done();
      controller.abort();
    };
  }, [key, round]);

  const retry = useCallback(() => setRound((before) => before + 1), []);
  const stop = useCallback(() => {
    stopping.current?.abort();
    setProgress((before) => ({ ...before, state: "stopped" }));
  }, []);

  // Counts down to the one retry that happens by itself.
  useEffect(() => {
    const { retryIn } = progress;
    if (retryIn === undefined) return undefined;
    const timer = setTimeout(() => {
      if (retryIn > 1) return setProgress((before) => ({ ...before, retryIn: retryIn - 1 }));
      isRetried.current = true;
      setRound((before) => before + 1);
    }, 1_000);
    return () => clearTimeout(timer);
  }, [progress.retryIn]);

  return { ...progress, retry, stop };
}

/** The first state of a call: found if its answer is kept, else asking, with the rows of before. */
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

function keep(key: string, answer: Found): void {
  kept.delete(key);
  kept.set(key, answer);
  const [oldest] = kept.keys();
  if (kept.size > keptAnswers && oldest !== undefined) kept.delete(oldest);
}
