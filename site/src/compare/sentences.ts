// Writes the sentences of the Compare page.

/** "7 of 9, 2010–2018" or "2018 only": the years with grants among those from the first to the last. */
export function formatCovered(years: readonly number[]): string {
  const [first, last] = [Math.min(...years), Math.max(...years)];
  if (years.length === 0) return "none";
  if (first === last) return `${first} only`;
  return `${years.length} of ${last - first + 1}, ${first}–${last}`;
}

/** The funders' common years, and the consequence for the comparison. @param common oldest first */
export function formatCommon(common: readonly number[], funders: number): string {
  const all = funders === 2 ? "both" : `all ${["", "", "", "three", "four"][funders] ?? funders}`;
  const [first] = common;
  if (first === undefined)
    return `There is no year in which ${all} have grants, so their totals aren’t comparable.`;
  if (common.length === 1)
    return `${first} is the only year ${all} have grants in. Totals of different years aren’t comparable.`;
  return `${capital(all)} have grants in ${formatYearList(common)}. Totals of different years aren’t comparable.`;
}

/** "2016 to 2018", "2014, 2016 to 2018": runs of years are joined. @param years oldest first */
export function formatYearList(years: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const year of years) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === year - 1) run[1] = year;
    else runs.push([year, year]);
  }
  const words = runs.map(([first, last]) =>
    first === last ? String(first) : last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`,
  );
  return words.join(", ");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
