// Makes changes in a bucket, many at once, and counts how many of them are done without a gap.
import type { Change } from "./changes.ts";

/**
 * Makes each change, `atOnce` of them at a time. Deletions start only when all uploads have ended.
 * @param onDone receives how many changes from the first one on are done; later ones may be done too
 */
export async function makeChanges(
  changes: Iterable<Change>,
  atOnce: number,
  make: (change: Change) => Promise<void>,
  onDone: (done: number) => void,
): Promise<void> {
  const running = new Map<number, Promise<void>>();
  let [next, done] = [0, 0];
  const ended = new Set<number>();
  let failure: { readonly error: unknown } | undefined;
  let isDeleting = false;
  for (const change of changes) {
    if (change.kind === "delete" && !isDeleting) {
      await Promise.all(running.values());
      isDeleting = true;
    }
    if (running.size >= atOnce) await Promise.race(running.values());
    if (failure !== undefined) break;
    const index = next++;
    const work = make(change).then(
      () => {
        ended.add(index);
        while (ended.delete(done)) done += 1;
        onDone(done);
      },
      (error: unknown) => {
        failure ??= { error };
      },
    );
    running.set(
      index,
      work.finally(() => running.delete(index)),
    );
  }
  await Promise.all(running.values());
  if (failure !== undefined) throw failure.error;
}
