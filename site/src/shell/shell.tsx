// Renders a page's frame: skip link, masthead, what the main part holds without a script, and footer.
import type { ComponentChild } from "preact";
import { renderToString } from "preact-render-to-string";
import { version } from "../../../api-static/contract/version.ts";
import { type PageName, pageNames, pages } from "../../pages.ts";
import type { Guide } from "../docs/guide.ts";
import { exampleOrigin, GuidePage } from "../docs/guidePage.tsx";
import { Downloads } from "../downloads/downloads.tsx";

/** The HTML of a page's body, with the API guide if `guide` has its content. The page's script fills `#main`, `#find` and `#release`. */
export function renderShell(name: PageName, guide?: Guide): string {
  return renderToString(
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Masthead name={name} />
      <main id="main" tabIndex={-1}>
        {guide === undefined ? withoutScript[name] : <GuidePage {...guide} />}
      </main>
      <Footer />
    </>,
  );
}

/** The masthead of a page. The search page has its own box, so it leaves the place empty. */
function Masthead({ name }: { name: PageName }) {
  return (
    <header class="masthead">
      <div class="wide masthead-row">
        <a class="brand" href="/">
          <svg width="20" height="16" viewBox="0 0 20 16" aria-hidden="true">
            <path class="brand-long" d="M0 1h20v3H0z" />
            <path class="brand-middle" d="M0 7h14v3H0z" />
            <path class="brand-short" d="M0 13h8v3H0z" />
          </svg>
          Grant History
        </a>
        <nav aria-label="Pages">
          <ul class="nav">
            {pageNames.map((page) => {
              const { path, link } = pages[page];
              const [first, ...others] = link?.split(" ") ?? [];
              return link === undefined ? null : (
                <li key={page}>
                  <a href={path} aria-current={page === name ? "page" : undefined}>
                    {first}
                    {others.length === 0 ? null : <span class="nav-rest"> {others.join(" ")}</span>}
                  </a>
                </li>
              );
            })}
          </ul>
        </nav>
        {name === "search" ? null : <div id="find" class="find" />}
      </div>
    </header>
  );
}

/** The footer; the page's script fills `#release`. */
function Footer() {
  return (
    <footer class="footer">
      <div class="wide footer-row">
        <p id="release">
          <a href="/v1/status">Status of the data</a>
        </p>
        <p>Version {version}</p>
      </div>
    </footer>
  );
}

/** By page. `noscript` is shown only without scripts. */
const withoutScript: Readonly<Partial<Record<PageName, ComponentChild>>> = {
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
  groups: <NeedsScript />,
  funder: <NeedsScript />,
  recipient: <NeedsScript />,
  compare: <NeedsScript />,
  status: <NeedsScript />,
  downloads: <Downloads origin={exampleOrigin} />,
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
