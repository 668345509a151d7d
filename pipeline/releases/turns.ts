// Chooses which part of a release a night reads again, so that all parts have their turn.

const millisecondsPerDay = 86_400_000;

/** Multiples of it, less their whole part, are spread over all parts, whatever the number of days between two syncs. */
const goldenRatio = (1 + Math.sqrt(5)) / 2;

/**
 * The part whose turn it is, from 0.
 * @param release its id, which starts with the date
 */
export function turnOf(release: string, parts: number): number {
  const date = release.replace(/^(\d{4})(\d\d)(\d\d).*$/s, "$1-$2-$3");
  const day = Math.floor(Date.parse(date) / millisecondsPerDay);
  return Math.floor(((day * goldenRatio) % 1) * parts);
}
