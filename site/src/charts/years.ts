// Lists calendar years: those of a range, those without grants, and how gaps are named in words.

/** Every calendar year of a range, at most 300: a wrong year in the data must not draw a million columns. */
export function yearsBetween(first: number, last: number): number[] {
  const start = Math.max(first, last - 299);
  return Array.from({ length: last - start + 1 }, (_, index) => start + index);
}

/** The calendar years missing between the first and the last one, oldest first. */
export function findGaps(years: readonly number[]): number[] {
  const sorted = [...years].sort((a, b) => a - b);
  return sorted.flatMap((year, index) => {
    const before = sorted[index - 1] ?? year;
    return Array.from({ length: Math.max(0, year - before - 1) }, (_, step) => before + 1 + step);
  });
}

/** More runs of years than these are counted, not listed. */
const maxRuns = 6;

/** Years in words: "2011 and 2012", "2003 to 2008 and 2011", or "19 of the years 1990 to 2018" if they are many runs. */
export function formatGaps(gaps: readonly number[]): string {
  const runs: { first: number; last: number }[] = [];
  for (const year of gaps) {
    const run = runs.at(-1);
    if (run !== undefined && run.last === year - 1) run.last = year;
    else runs.push({ first: year, last: year });
  }
  if (runs.length > maxRuns) return `${gaps.length} of the years ${gaps[0]} to ${gaps.at(-1)}`;
  const words = runs.flatMap(({ first, last }) =>
    last - first < 2 ? [...new Set([first, last])].map(String) : [`${first} to ${last}`],
  );
  return new Intl.ListFormat("en-US").format(words);
}
