// Decides which rows are totals over people, e.g., kinds of aid, instead of grants to one recipient.

/** The type of the rows of Schedule I, Part III: each is a total of one kind of aid to people. */
export const individualsType = "Schedule I individuals";

/**
 * SQL condition, never null: the type in any case, or without an EIN a name such as "VARIOUS NEEDY PATIENTS".
 * @param isPeople SQL condition that the name stands for people, as `peopleSql` writes it
 */
export function individualsSql(isPeople: string): string {
  return `(coalesce(lower(type) = '${individualsType.toLowerCase()}', false)
    OR recipient_ein IS NULL AND coalesce(${isPeople}, false))`;
}
