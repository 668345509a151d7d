// Marks the link of the section in view in the guide's navigation.

/** Px below the top of the window at which a section counts as in view. */
const readingLine = 120;

/** Follows scrolling. @param links to the sections, in the order of the page */
export function followSections(links: Iterable<HTMLAnchorElement>): void {
  const followed = [...links].flatMap((link) => {
    const section = document.getElementById(link.hash.slice(1));
    return section === null ? [] : [{ link, section }];
  });
  const details = document.querySelector<HTMLDetailsElement>(".guide-nav details");
  const wide = matchMedia("(min-width: 961px)");
  const unfold = () => {
    if (details !== null) details.open = wide.matches;
  };
  const mark = () => {
    const tops = followed.map(({ section }) => section.getBoundingClientRect().top);
    const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const chosen = findInView(tops, readingLine, isAtEnd && scrollY > 0, innerHeight);
    for (const [index, { link }] of followed.entries()) {
      if (index === chosen) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  unfold();
  mark();
  wide.addEventListener("change", unfold);
  addEventListener("scroll", mark, { passive: true });
  addEventListener("resize", mark, { passive: true });
}

/**
 * The index of the section in view: the last one that starts above the line; at the end of the page, where the last ones
 * cannot reach the line, the last one that starts in the upper half of the window.
 * @param tops of the sections, relative to the window, in the order of the page
 */
export function findInView(tops: readonly number[], line: number, isAtEnd: boolean, height: number): number {
  const limit = isAtEnd ? Math.max(line, height / 2) : line;
  return Math.max(
    0,
    tops.findLastIndex((top) => top <= limit),
  );
}
