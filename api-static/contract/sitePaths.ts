// Maps the addresses of the site's pages to their files, as static hosts do.

/** True if the URL path is in the folder where the build of the site puts files whose names hold a hash. */
export function isHashedPath(path: string): boolean {
  return path.startsWith("/assets/");
}

/**
 * The address of a page by the path of its HTML file; undefined for other paths.
 * E.g., "/funder" for "/funder.html", and "/" for "/index.html".
 */
export function cleanPath(path: string): string | undefined {
  const [, page] = /^(.*)\.html$/.exec(path) ?? [];
  return page?.replace(/\/index$/, "/");
}

/**
 * The file of a URL path, below `public/`; undefined if no file of the site has such a path. `cleanPath` is its inverse.
 * CloudFront functions run it too, see `plainPages.ts`.
 * E.g., "index.html" for "/", "funder.html" for "/funder", and "icon.svg" for "/icon.svg".
 */
export function siteFile(path: string): string | undefined {
  if (path === "/") return "index.html";
  if (!/^\/(?:[\w-]+\/)*[\w-]+(?:\.[\w.-]*\w)?$/.test(path)) return undefined;
  const file = path.slice(1);
  return file.indexOf(".") < 0 ? `${file}.html` : file;
}
