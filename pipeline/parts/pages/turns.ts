// Says in which night the page files of a funder are read when they are linked.

/** The page files of each funder are read in one of so many consecutive turns. */
const turns = 7;

/** The turn of a release made at that moment. There is one a day. */
export function turnAt(moment: Date): number {
  return Math.floor(moment.getTime() / 86_400_000) % turns;
}

/** True if the page files of a funder are read in a turn. */
export function isFunderDue(ein: number, turn: number): boolean {
  return ein % turns === turn;
}
