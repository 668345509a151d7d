// Waits for work that runs in parallel.

/**
 * Like `Promise.all`, but waits for all of them even after a failure, so that nothing is still running when its folder is removed.
 * Throws the failure that came first.
 */
export async function allEnded<Results extends readonly unknown[]>(
  ...works: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const all = Promise.all(works);
  await Promise.allSettled([all, ...works]);
  return (await all) as unknown as Results;
}

/**
 * Like `allEnded`, for work that is worthless once a part of it has failed: each gets a signal that is aborted with the first
 * failure, and should then stop.
 */
export async function allOrNone<Results extends readonly unknown[]>(
  ...works: { [Index in keyof Results]: (signal: AbortSignal) => Promise<Results[Index]> }
): Promise<Results> {
  const first = new AbortController();
  const run = <Result>(work: (signal: AbortSignal) => Promise<Result>) =>
    work(first.signal).catch((error: unknown) => {
      first.abort(error);
      throw error;
    });
  return (await allEnded(...works.map(run))) as unknown as Results;
}

/**
 * Does work for each item, at most `atOnce` of them at a time. After a failure, no work is started any more, and the failure is
 * thrown when all work has ended.
 */
export async function forEachAtOnce<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = (function* () {
    yield* items;
  })();
  // A loop that fails closes the queue for all.
  const loop = async () => {
    for (const item of queue) await work(item);
  };
  await allEnded(...Array.from({ length: atOnce }, loop));
}
