// Owns the running of several works side by side.

/** The results of all, once all have ended: none goes on unwatched when another fails. */
export async function allEnded<Results extends readonly unknown[]>(
  ...works: { [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  await Promise.allSettled(works);
  return (await Promise.all(works)) as unknown as Results;
}
