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

/** Longest path and query (characters): the longest canonical URL has fewer than 6,000, and hosts in front refuse longer ones. */
export const urlLengthMax = 8_000;

/** Longest canonical filters (bytes) of a search that may have page files: they name a folder, whose name may have 255. */
export const searchNameMax = 200;

/** Characters of a request's value that an error message repeats. */
export const valueShownMax = 60;

/** Most bytes of a request's line and headers together: twice the longest URL, as Node.js and nginx allow by default. */
export const headerBytesMax = 16_384;

/** Most requests of one connection that are answered at once: pipelining beyond it only fills memory. */
export const pipelinedMax = 16;

/** Seconds that a client may take to send a request's headers, and the whole request: honest ones need one packet. */
export const headerSeconds = 10;
export const requestSeconds = 15;

/** Seconds without a byte in either direction after which a client that is being answered is cut off. */
export const silenceSeconds = 30;

/** Seconds that a connection stays open for the next request: longer than proxies keep theirs, so that they close first. */
export const keepAliveSeconds = 65;
