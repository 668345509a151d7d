// Shows the masthead: the product's name, links to the pages, and a place for the small search box.
import { type PageName, pageNames, pages } from "../../pages.ts";

/** The masthead of a page. The search page has its own box, so it leaves the place empty. */
export function Masthead({ name }: { name: PageName }) {
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
              return link === undefined ? null : (
                <li key={page}>
                  <a href={path} aria-current={page === name ? "page" : undefined}>
                    {link}
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
