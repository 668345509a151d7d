// Shows the range of rows on the page and the total, with links to the other pages.
import { formatCount } from "../text/numbers.ts";

type Properties = {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** The largest offset that the API accepts; undefined if it reaches every row. */
  readonly offsetMax?: number | undefined;
  /** The noun of the rows. */
  readonly of?: string;
  /** The address of the page that begins at this row. */
  readonly hrefOf: (offset: number) => string;
  /** The release of the rows: the other pages are read from it too, so that a sync in between leaves no gap. */
  readonly release: string | undefined;
};

/** The pager below a table; only the rows' numbers if they are all on one page. */
export function Pager({ total, limit, offset, offsetMax, of = "grants", hrefOf, release }: Properties) {
  const end = Math.max(0, Math.ceil(total / limit) - 1);
  const last = Math.min(end, Math.floor((offsetMax ?? total) / limit));
  const present = Math.floor(offset / limit);
  const link = (page: number, text: string, isStep = false) => (
    <a
      class={`button${isStep ? " pager-step" : ""}`}
      href={hrefOf(page * limit)}
      aria-current={!isStep && page === present ? "page" : undefined}
    >
      {text}
    </a>
  );
  return (
    <nav class="pager" aria-label={`Pages of ${of}`} data-release={release}>
      <p>
        {total === 0 ? "0" : `${formatCount(offset + 1)}–${formatCount(Math.min(offset + limit, total))}`} of{" "}
        {formatCount(total)}
        {last < end ? `; pages end after ${formatCount((last + 1) * limit)}` : ""}
      </p>
      {last === 0 ? null : (
        <ul>
          <li>{present > 0 ? link(present - 1, "Previous", true) : <Disabled text="Previous" />}</li>
          {shownPages(present, last).map((page, index, all) => (
            <li key={page}>
              {index > 0 && page - (all[index - 1] ?? 0) > 1 ? <span aria-hidden="true">… </span> : null}
              {link(page, formatCount(page + 1))}
            </li>
          ))}
          <li>{present < last ? link(present + 1, "Next", true) : <Disabled text="Next" />}</li>
        </ul>
      )}
    </nav>
  );
}

function Disabled({ text }: { text: string }) {
  return (
    <span class="button pager-step is-missing" aria-disabled="true">
      {text}
    </span>
  );
}

/** The pages that have a link: first, last, and those around the current one. */
function shownPages(present: number, last: number): number[] {
  const wanted = [0, present - 1, present, present + 1, ...(present < 2 ? [2] : []), last];
  return [...new Set(wanted)].filter((page) => page >= 0 && page <= last).sort((a, b) => a - b);
}
