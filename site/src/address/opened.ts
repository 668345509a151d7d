// Moves the focus to the result of a page that a suggestion opened: a new document would start at its top.

const key = "opened";

/** Opens a page of the site, whose heading gets the focus. */
export function openPage(href: string): void {
  store((storage) => storage.setItem(key, href));
  location.assign(href);
}

/** Waits for the heading of a page that was opened so, unless the reader is somewhere else by then. */
export function focusOpened(main: HTMLElement): void {
  store((storage) => {
    const href = storage.getItem(key);
    storage.removeItem(key);
    if (href !== location.pathname + location.search) return;
    const observer = new MutationObserver(() => {
      const heading = main.querySelector<HTMLElement>("h1");
      if (heading === null || heading.closest("[aria-busy=true]") !== null) return;
      observer.disconnect();
      heading.tabIndex = -1;
      if (document.activeElement === document.body) heading.focus({ preventScroll: true });
    });
    observer.observe(main, { subtree: true, childList: true, attributeFilter: ["aria-busy"] });
  });
}

/** Browsers may forbid to store anything. */
function store(work: (storage: Storage) => void): void {
  try {
    work(sessionStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
