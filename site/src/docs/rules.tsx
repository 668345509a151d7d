// Renders the guide's rules and reference, from the contract's own limits, errors and fields.
import type { ComponentChildren } from "preact";
import { type ErrorCode, errorMeanings, statuses } from "../../../api-static/contract/errors.ts";
import * as limits from "../../../api-static/contract/limits.ts";
import { fieldSchemas, nullableFields, recordFields } from "../../../api-static/contract/record.ts";
import { Prose } from "./prose.tsx";

export const ruleLinks = [
  ["paging", "Paging"],
  ["errors", "Errors"],
  ["caching", "Caching"],
  ["pinned-releases", "Pinned releases"],
  ["limits", "Limits"],
] as const;

export const referenceLinks = [
  ["grant-record", "Grant record"],
  ["open-points", "Open points, decided"],
] as const;

const count = (number: number) => number.toLocaleString("en-US");

/** Paging, errors, caching, pinned releases, limits. */
export function Rules({ mistake }: { mistake: { readonly request: string } }) {
  return (
    <>
      <Part id="paging" title="Paging">
        <P text="Lists are ordered by year (newest first), amount (largest first) and id. No two grants tie, so pages never overlap or skip within a release." />
        <P text="Follow the `Link` header until it names no `next` page. An `offset` past the end answers 200 with empty `data` and the true `total`. For long walks use `limit=1000` and a pinned release." />
        <Code>{'Link: </v1/history?purpose=food&limit=100&offset=100>; rel="next", …'}</Code>
      </Part>
      <Part id="errors" title="Errors">
        <P text="Every error has one shape: `success`, `error` (a sentence for people), `code`, and `details` where a parameter is at fault. Decide by `code`. 429 and 503 say in `Retry-After` how many seconds to wait." />
        <p>
          <a href="#search-grants">One 400 is shown whole</a> beside the search:{" "}
          <code>{mistake.request}</code>
        </p>
        <table class="table">
          <caption class="hidden">Error codes</caption>
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Status</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(statuses) as ErrorCode[]).map((code) => (
              <tr key={code}>
                <th scope="row">
                  <code>{code}</code>
                </th>
                <td>{statuses[code]}</td>
                <td>
                  <Prose text={errorMeanings[code]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Part>
      <Part id="caching" title="Caching">
        <P text="A 200 may be kept by shared caches until the next sync has ended, and by clients for five minutes. Its `ETag` depends on the content alone: a page that a sync did not change keeps it. Send it as `If-None-Match` and get 304 without a body." />
        <P text="Whole histories of funders and common searches are plain files, such as `/v1/funders/131635294/history-100-0.json` and `/v1/history/all/100-0.json`: any CDN or static host can serve them." />
      </Part>
      <Part id="pinned-releases" title="Pinned releases">
        <P text="Every answer names its release in `X-Release`. Put it in front of the path, and a walk of many pages over a night has no gap and no duplicate. A pinned answer never changes, so it can be cited. Once a release is no longer kept, the answer is 404 `release_not_found`." />
        <Code>
          https://grants.example.org<b>/r/20261122T001803Z</b>/v1/history?purpose=food&min_amount=10000
        </Code>
      </Part>
      <Part id="limits" title="Limits">
        <ul>
          <li>
            A page has {limits.pageSizeDefault} grants if you don’t say, and at most{" "}
            {count(limits.pageSizeMax)}.
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
    </>
  );
}

/** The record's fields, and what the specification leaves open. */
export function Reference() {
  return (
    <>
      <Part id="grant-record" title="Grant record">
        <P text="Every record has these eleven fields, in this order." />
        <dl class="guide-list">
          {recordFields.map((field) => (
            <div key={field}>
              <dt>
                <code>{field}</code>
                <small>
                  {" "}
                  {fieldSchemas[field].type as string}
                  {(nullableFields as readonly string[]).includes(field) ? " or null" : ""}
                </small>
              </dt>
              <dd>{fieldSchemas[field].description as string}</dd>
            </div>
          ))}
        </dl>
      </Part>
      <Part id="open-points" title="Open points, decided">
        <P text="What the interface specification leaves open, and how this service decides it." />
        <dl class="guide-list">
          {openPoints.map(([point, decision]) => (
            <div key={point}>
              <dt>
                <b>{point}</b>
              </dt>
              <dd>
                <Prose text={decision} />
              </dd>
            </div>
          ))}
        </dl>
      </Part>
    </>
  );
}

const openPoints = [
  ["Order", "Newest year, then largest amount, then lowest id: the same in both operations."],
  ["Minimum amount", "Inclusive. At most two decimals; may be negative, as corrections are."],
  [
    "A limit above 1,000",
    "400, not clamped: a client that steps by the limit it asked for would lose grants.",
  ],
  ["Text filters", "Literal and regardless of case. `%`, `_` and `*` have no special meaning."],
  ["Null", "Never matches a filter. A blank text of the warehouse becomes null."],
  ["EINs", "Nine digits. `13-1635294` is read too; in a path it is redirected (308)."],
  ["Unknown, repeated or blank parameters", "400 that names every problem. Nothing is silently ignored."],
  ["A funder without grants", "404 on its own path; `total` 0 in a search."],
  ["Filters on a funder’s path", "The same as in a search with that `funder_ein`."],
  ["Amounts", "JSON numbers with two decimals, exact to the cent."],
  ["Equal ids in the warehouse", "The row created last counts; the others are rejected and counted."],
] as const;

function Part({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section class="section guide-part" id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function P({ text }: { text: string }) {
  return (
    <p>
      <Prose text={text} />
    </p>
  );
}

function Code({ children }: { children: ComponentChildren }) {
  return (
    <div class="code-panel">
      <pre>{children}</pre>
    </div>
  );
}
