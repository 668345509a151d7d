// Shows the guide's rules, from the contract's own limits and errors.
import type { ComponentChildren } from "preact";
import { type ErrorCode, errorMeanings, statuses } from "../../../api-static/contract/errors.ts";
import * as limits from "../../../api-static/contract/limits.ts";
import { DescribedList } from "./operation.tsx";
import { Code, P, Part } from "./prose.tsx";

const count = (number: number) => number.toLocaleString("en-US");

/** How lists are ordered and walked. */
export function Paging() {
  return (
    <Part title="Paging">
      <P text="Grants of equal year and amount are in the order of their ids, so the pages of a release never overlap or skip." />
      <P text="The `Link` header names the `next` page, if there is one. An `offset` past the end answers 200 with empty `data` and the true `total`. For long walks use `limit=1000` and a pinned release." />
      <Code>{'Link: </v1/history?limit=3&offset=3>; rel="next", …'}</Code>
    </Part>
  );
}

/** The shape of errors, and every code. */
export function Errors({ children }: { children?: ComponentChildren }) {
  return (
    <Part title="Errors">
      <P text="Every error has one shape: `success`, `error` (a sentence for people), `code`, and, if a parameter is wrong, `details`. Programs should check `code`, because the wording may change. 429 and 503 come with `Retry-After`." />
      {children}
      <DescribedList
        items={(Object.keys(statuses) as ErrorCode[]).map((name) => ({
          name,
          kind: String(statuses[name]),
          description: errorMeanings[name],
        }))}
      />
    </Part>
  );
}

/** How long answers may be kept, and how they are checked. */
export function Caching() {
  return (
    <Part title="Caching">
      <P text="A 200 may be kept by shared caches until the next sync has ended, and by clients for five minutes. Its `ETag` depends on the content alone: a page that a sync did not change keeps it. Send it as `If-None-Match` and get 304 without a body." />
      <P text="Whole histories of funders and common searches are plain files, such as `/v1/funders/131635294/history-100-0.json` and `/v1/history/all/100-0.json`: any CDN or static host can serve them." />
    </Part>
  );
}

/** How to stay in one release. */
export function PinnedReleases({ origin }: { origin: string }) {
  return (
    <Part title="Pinned releases">
      <P text="Every answer names its release in `X-Release`. Put it in front of the path, and answers never change: they can be cited, and a walk of many pages has no gap over a night. A release that is no longer kept is 404 `release_not_found`." />
      <Code>
        {origin}
        <b>/r/20261122T001803Z</b>/v1/history?limit=3
      </Code>
    </Part>
  );
}

/** The limits of requests. */
export function Limits() {
  return (
    <Part title="Limits">
      <ul>
        <li>
          A page has {limits.pageSizeDefault} grants if you don’t say, and at most {count(limits.pageSizeMax)}
          .
        </li>
        <li>An offset is at most {count(limits.offsetMax)}.</li>
        <li>
          A text filter has at most {limits.textLengthMax} characters; path and query together{" "}
          {count(limits.urlLengthMax)}.
        </li>
        <li>A search that takes longer than the operator allows (5 seconds if not changed) is stopped.</li>
        <li>The operator may limit searches per minute. Page files are not limited.</li>
      </ul>
    </Part>
  );
}
