// Defines the static content of each page's main part.
import type { ComponentChild } from "preact";
import type { PageName } from "../../pages.ts";

/** By page. `noscript` is shown only without scripts. */
export const withoutScript: Readonly<Partial<Record<PageName, ComponentChild>>> = {
  search: (
    <noscript>
      <form class="wide page" action="/v1/history" method="get">
        <h1>Who gave what to whom, and what for</h1>
        <p>
          <label>
            Purpose contains <input class="field" name="purpose" required maxLength={200} />
          </label>{" "}
          <button class="button button-main" type="submit">
            Show the API’s answer
          </button>
        </p>
        <p>Pages with charts and tables need JavaScript. The API guide doesn’t.</p>
      </form>
    </noscript>
  ),
  funder: <NeedsScript />,
  recipient: <NeedsScript />,
  compare: <NeedsScript />,
  status: <NeedsScript />,
  missing: (
    <div class="wide page">
      <h1>There is no page at this address</h1>
      <p class="lede">
        <a href="/">Search the grants</a>, or read the <a href="/docs">API guide</a>.
      </p>
    </div>
  ),
};

function NeedsScript() {
  return (
    <noscript>
      <div class="wide page">
        <p>
          This page needs JavaScript. The <a href="/docs">API guide</a> doesn’t, and{" "}
          <a href="/v1/status">the status of the data</a> is JSON.
        </p>
      </div>
    </noscript>
  );
}
