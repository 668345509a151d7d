// Defines every limit on requests, with its unit and reason.

/** Records per page if the request has no `limit`. */
export const pageSizeDefault = 100;

/** Maximum records per page. */
export const pageSizeMax = 1000;

/** Page sizes with files, each a multiple of the previous one: the default, and the maximum for clients that read everything. */
export const pageSizes = [pageSizeDefault, pageSizeMax] as const;

/** Maximum offset: ten times the largest data set the design allows for, and safe in every integer type. */
export const offsetMax = 1_000_000_000;

/** Maximum offset of a page by amount: the records before it are found as well. */
export const offsetByAmountMax = 100_000;

/** Maximum offset and limit of groups, added up: nobody reads more, and exports have more. */
export const groupsMax = 10_000;

/** Maximum groups of an export. */
export const exportedGroupsMax = 100_000;

/** Maximum EINs in a filter: about what a person pastes, and a URL of 50 has 600 characters. */
export const einsMax = 50;

/** Maximum EINs whose names a request asks for: a page of grants has at most as many, and a URL of 100 has 1,000 characters. */
export const namesMax = 100;

/** Maximum length of a text filter in code points: people search for shorter texts. */
export const textLengthMax = 200;

/** Maximum of an amount filter in cents. Amounts are DECIMAL(18,2) and never reach it, so a larger filter means the same. */
export const amountCentsMax = 10n ** 18n;

/** Maximum length of path and query in characters. Canonical URLs of three texts, or of two texts and a list of EINs, have fewer; proxies refuse longer ones. */
export const urlLengthMax = 8_000;

/** Maximum bytes of the canonical filters of a search with page files: they name a folder, and names have at most 255 bytes. */
export const searchNameMax = 200;

/** Maximum funders that are compared: people read no more columns side by side. */
export const comparedMax = 4;

/** Organizations that a search by name lists if the request has no `limit`, and at most: people read no more. */
export const organizationsDefault = 10;
export const organizationsMax = 100;

/** Former names that an organization's answer lists, the last ones: hardly any has had more than three. */
export const formerNamesMax = 20;

/** Maximum names in a batch to reconcile, and bytes of its form: OpenRefine sends ten names in about 1 KB. */
export const batchMax = 50;
export const formBytesMax = 65_536;

/** Rows in an answer to an agent if the call has no `limit`, and at most: a model reads all of them. */
export const agentRowsDefault = 20;
export const agentRowsMax = 100;

/** Maximum messages of an agent in a batch: as many calls run at once. */
export const agentBatchMax = 20;

/** Grants in a feed: readers of feeds keep older ones themselves. */
export const feedEntriesMax = 100;

/** Maximum files of changes that a feed is found in, the newest first: a week of syncs every ten minutes. */
export const feedFilesMax = 1_000;

/** Seconds that a client may take to send a form after its headers. */
export const formSeconds = 10;

/** Suggestions in an answer to a client that is typing. */
export const suggestionsMax = 10;

/** Maximum characters of a request's value that an error message repeats. */
export const valueShownMax = 60;

/** Maximum problems in an error: nobody reads more, and a short query could name thousands. */
export const problemsMax = 20;

/** Maximum bytes of request line and headers together: twice the longest URL, about the default of Node.js and nginx. */
export const headerBytesMax = 16_384;

/** Maximum concurrent requests of one connection: more pipelining only fills memory. */
export const pipelinedMax = 16;

/** Maximum bytes of a Link header: proxies and clients give all headers of a response 4 to 16 KB. */
export const linkBytesMax = 4_096;

/** Seconds that a client may take to send the headers, and the whole request. A normal request fits in one packet. */
export const headerSeconds = 10;
export const requestSeconds = 15;

/** Seconds without a byte in either direction after which a client that is being answered is cut off. */
export const silenceSeconds = 30;

/** Seconds that an idle connection stays open: longer than in proxies, so that proxies close first. */
export const keepAliveSeconds = 65;

/** Likely funders of a list, unless another number is asked for. It is also the number of which the night tells how right they are. */
export const likelyFundersDefault = 10;
