// Owns every number that bounds what a request may ask, with its unit and its reason.

/** Records in a page when the request names no `limit` (specification, section 8). */
export const pageSizeDefault = 100;

/** Most records in a page (specification, section 8). */
export const pageSizeMax = 1000;

/**
 * Page sizes cut into files, each a multiple of the one before: the default for those who name none, the maximum for
 * those who walk everything.
 */
export const pageSizes = [pageSizeDefault, pageSizeMax] as const;

/** Most records skipped: ten times the largest data set the design allows for, and safe in every integer type. */
export const offsetMax = 1_000_000_000;

/** Most characters (code points) of a text filter: the purposes people search for are shorter. */
export const textLengthMax = 200;

/** Amounts are DECIMAL(18,2): no amount reaches this many cents, so larger bounds mean the same as this one. */
export const amountCentsMax = 10n ** 18n;

/** Longest canonical URL (characters): a host in front may refuse longer ones; the server itself leaves that to Node.js. */
export const urlLengthMax = 8_000;

/** Most problems listed in one error: a person fixes ten and asks again. */
export const problemsMax = 20;

/** Characters of a request's value that an error message repeats. */
export const valueShownMax = 60;
