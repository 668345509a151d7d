// Waits for work that runs in parallel.

/** Like `Promise.all`, but waits for all of them even after a failure, so that nothing is still running when its folder is removed. */
export async function allEnded<Results extends readonly unknown[]>(
  ...works: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  await Promise.allSettled(works);
  return (await Promise.all(works)) as unknown as Results;
}
