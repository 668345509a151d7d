// Chooses which part of a release a night verifies, so that all parts have their turn.

const millisecondsPerDay = 86_400_000;

/**
 * The part whose turn it is, from 0. Each day has another, and the first part of each round moves on, so syncs on every second day or
 * once a week reach all parts, too.
 * @param release its id, which starts with the date
 */
export function turnOf(release: string, parts: number): number {
  const date = release.replace(/^(\d{4})(\d\d)(\d\d).*$/s, "$1-$2-$3");
  const day = Math.floor(Date.parse(date) / millisecondsPerDay);
  return (day + Math.floor(day / parts)) % parts;
}
