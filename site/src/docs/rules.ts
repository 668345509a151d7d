// Defines the rules of the API that apply to several operations, for the guide and docs/api.md.
import {
  type ChangesFormat,
  changesDays,
  changesFolder,
  changesIndexName,
  changesName,
} from "../../../api-static/contract/answers/changes.ts";
import { type DownloadName, downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import {
  fieldSchemas,
  nullableFields,
  type RecordField,
  recordFields,
} from "../../../api-static/contract/answers/record.ts";
import {
  type ErrorCode,
  errorMeanings,
  problemCodes,
  statuses,
} from "../../../api-static/contract/errors.ts";
import {
  cacheBriefly,
  cacheForever,
  cacheOfError,
  cacheRedirect,
  cacheUntilSync,
} from "../../../api-static/contract/headers.ts";
import * as limits from "../../../api-static/contract/limits.ts";
import type { Described } from "./guide.ts";

/** Texts in which backticks mark code. */
export type Rule = {
  readonly title: string;
  readonly text: readonly string[];
  readonly code?: string;
  readonly items?: readonly Described[];
};

const downloadPath = (name: DownloadName) => `/${downloadKey(name)}`;
const changesPath = (name: string) => `/${changesFolder}/${name}`;
const changesForms: Readonly<Record<ChangesFormat, string>> = {
  "ndjson.gz": "Lines of JSON, gzipped.",
  parquet: "The same: `op`, `change` and the fields of a record.",
};
const changesFormats = Object.keys(changesForms) as ChangesFormat[];
const count = (number: number) => number.toLocaleString("en-US");
const item = (name: string, description: string, kind = ""): Described => ({ name, kind, description });
const untilSync = cacheUntilSync(new Date(0)).replace(
  /s-maxage=\d+/,
  "s-maxage=<seconds until the next sync ends>",
);

export const rules: readonly Rule[] = [
  {
    title: "Requests",
    text: [
      "Operations answer `GET`, `HEAD` and `OPTIONS`; any web page may call them.",
      `Filters combine with AND. Of up to ${limits.einsMax} EINs, a repeated one counts once. A null or unknown value matches no filter. Two thirds of all grants have no \`recipient_ein\`: find those by \`recipient_name\`.`,
      "Text matches regardless of case, in Unicode normalization form C, without surrounding white space. `%`, `_` and `*` have no special meaning.",
      "Values out of range and percent-escapes that are not UTF-8 (`%FF`) are errors.",
      `Each problem in \`details\` has a \`code\`: ${problemCodes.map((code) => `\`${code}\``).join(", ")}.`,
      "A path takes an EIN as nine digits; `13-1635294` is redirected with 308.",
      "Responses have `X-Request-Id` (the request’s own if valid) and `Server-Timing` (how it was answered).",
    ],
  },
  {
    title: "Recipes",
    text: [],
    items: [
      item(
        "/v1/history/summary?purpose=music&min_year=2018",
        "How much was given for music since 2018, by whom, and to whom.",
      ),
      item(
        "/v1/history/groups?by=funder&purpose=music",
        "A table of the funders; `groups.csv` for a spreadsheet.",
      ),
      item(
        "/v1/history?funder_ein=131635294,200253310&min_amount=1000&max_amount=5000",
        "Grants of two funders in a range of amounts.",
      ),
      item(
        "/v1/history?recipient_name=university&transaction_year=2020&sort=amount",
        "The largest grants to universities in 2020.",
      ),
    ],
  },
  {
    title: "Paging",
    text: [
      "Grants are ordered by year and amount, both descending, then by id, so pages of a release never overlap or skip.",
      "Advance `offset` by `limit` up to `total`, or follow `next` in the `Link` header, which is left out beyond 4,096 bytes. For long walks use `limit=1000` and a pinned release.",
    ],
    code: 'Link: </v1/history?limit=3&offset=3>; rel="next", …',
  },
  {
    title: "Errors",
    text: [
      "Every error has `success`, `error` (for people; the wording may change), `code`, and, if a parameter is wrong, `details`. 429 and 503 come with `Retry-After`.",
    ],
    items: (Object.keys(statuses) as ErrorCode[]).map((code) =>
      item(
        code,
        errorMeanings[code].replace(/(?:;|, or) retry after `Retry-After` seconds/, ""), // as the text says
        String(statuses[code]),
      ),
    ),
  },
  {
    title: "Caching",
    text: [
      "JSON with status 200, apart from `/v1/status` and `/v1/report`, has a strong `ETag`. Send it as `If-None-Match` to get 304. The gzipped form’s ends in `-gzip`; either validates both. `If-Match` with an old one is 412.",
      "The next sync is assumed to end half an hour after `next_sync` of `/v1/status`, usually 04:30 UTC. `Cache-Control` by response:",
    ],
    items: [
      item("200", `\`${untilSync}\``),
      item("200 under /r/", `\`${cacheForever}\``),
      item("308", `\`${cacheRedirect}\``),
      item(
        "400, 404, 414",
        `\`${cacheOfError("not_found")}\`; \`bad_request\` and \`release_not_found\` as other errors`,
      ),
      item("/v1/status, /v1/report, /v1/changes/index.json", `\`${cacheBriefly}\``),
      item("other errors", `\`${cacheOfError("internal")}\``),
    ],
  },
  {
    title: "Likely recipients",
    text: [
      "For many grants without an EIN, rules find a likely recipient, with evidence; the record stays as filed. `match_score` is the least share of a rule’s matches that are right (`/v1/status`). Never add likely sums to filed ones.",
    ],
  },
  {
    title: "Pinned releases",
    text: [
      "Put `/r/` and the release of an answer’s `X-Release` in front of any path under `/v1/`, and answers never change. That works until `releases_kept` newer releases exist (`/v1/status`).",
    ],
    code: "/r/20261122T001803Z/v1/history?limit=3",
  },
  {
    title: "Page files",
    text: [
      "Most pages are plain files for any CDN or static host. The server answers under these paths, too.",
      "The two numbers are `limit` and `offset`, a multiple of it. Only lists of more than 100 grants have files of 1,000. Plain static hosts send no `Link` and no `X-Release`: page by `total`.",
      "On disk, they end in `.json.gz`: send them as `application/json` with `Content-Encoding: gzip`. In URLs, write a name’s `%` as `%25`.",
    ],
    items: [
      item("/v1/funders/131635294/history-100-0.json", "A page of a funder’s whole history."),
      item("/v1/funders/131635294/history-1000-0.json", "The same, with 1,000 grants."),
      item("/v1/history/all/100-0.json", "A page of all grants."),
      item(
        "/v1/history/transaction_year=2020&min_amount=10000.00/100-0.json",
        "A page of a common search; its filters are written as in the `Link` header.",
      ),
      item("/v1/history/all/summary.json", "The totals of a common search."),
      item("/v1/names/eins/1316.json", "Names of funders."),
    ],
  },
  {
    title: "Downloads",
    text: [
      "All grants of a release in one file, never compressed for transport; the page Downloads has examples.",
      "Send `Range` to read a part, and the `ETag` as `If-Range` to resume. A malformed range, or one past the end, is 416; several at once get the whole file.",
    ],
    items: [
      item(downloadPath("grants.parquet"), "Parquet: programs read only the columns that they need."),
      item(
        downloadPath("grants.csv.gz"),
        "CSV, gzipped, up to 1,048,575 grants. `/v1/history.csv` streams any number.",
      ),
      item(downloadPath("matches.parquet"), "Likely recipients: grant, EIN, rule, score and evidence."),
      item(downloadPath("SHA256SUMS"), "For `sha256sum --check`."),
      item(downloadPath("datapackage.json"), "A Data Package: fields, sizes and digests."),
      item(downloadPath("croissant.json"), "The same for Croissant and schema.org."),
    ],
  },
  {
    title: "Changes",
    text: [
      `What releases changed, for ${changesDays} days. To keep a copy in step, as \`make follow\` does, start from the Parquet download, whose metadata names its release. Then apply the last entry of the index whose \`from\` is the release of your copy, until that is \`current\`.`,
      "A line has `op`, `change`, and the whole `record` (an upsert) or its keys (a delete). An entry with a `reason` has no files: download again, as after a 410. `digest` is the SHA-256 of all records as JSON, each followed by a comma and a line feed, by `funder_ein`, then in result order.",
    ],
    items: [
      item(changesPath(changesIndexName), "The index; an entry has the files, their SHA-256 and `digest`."),
      ...changesFormats.map((format) =>
        item(
          changesPath(changesName({ from: "20261120T040000Z", to: "20261121T040000Z" }, format)),
          changesForms[format],
        ),
      ),
    ],
  },
  {
    title: "Agents",
    text: [
      "A server has the searches as tools at `POST /mcp`, by the Model Context Protocol. `/llms.txt` leads other agents to this guide (`/api.md`) and all files.",
    ],
  },
  {
    title: "Limits",
    text: [
      `A text filter has at most ${limits.textLengthMax} characters; path and query together ${count(limits.urlLengthMax)}; request line and headers ${limits.headerBytesMax / 1024} KiB. Headers must arrive within ${limits.headerSeconds} seconds, and the request within ${limits.requestSeconds}.`,
      "Operators limit a search’s time (5 seconds by default) and searches per minute, but not page files.",
    ],
  },
];

const nullables: ReadonlySet<RecordField> = new Set(nullableFields);

/** The fields of every record, in its order. */
export const grantFields = recordFields.map((name) => {
  const { type, description } = fieldSchemas[name];
  return item(name, description, nullables.has(name) ? `${type} or null` : type);
});
