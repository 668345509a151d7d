// Renders the static part of every page: title, policy, masthead, main and footer.
import { type Plugin, runnerImport } from "vite";
import { contentSecurityPolicy } from "../../api-static/contract/headers.ts";
import type { PageName } from "../pages.ts";
import { description, pages } from "../pages.ts";
import { makeGuide } from "./guide.ts";

/** The guide is made from the OpenAPI document, which only the build may read. */
const guideOf = (name: PageName) => (name === "docs" ? makeGuide() : undefined);

type Shell = typeof import("../src/shell/shell.tsx");

/** A plugin that fills the places `<!--head-->` and `<!--body-->` of each HTML file. */
export function renderShells(): Plugin {
  return {
    name: "render-shells",
    transformIndexHtml: {
      order: "pre",
      async handler(html, { filename, server }) {
        const path = new URL("../src/shell/shell.tsx", import.meta.url).pathname;
        const shell = server
          ? ((await server.ssrLoadModule(path)) as Shell)
          : (
              await runnerImport<Shell>(path, {
                oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
              })
            ).module;
        const name = pageOf(html, filename);
        return html
          .replace(/<meta name="page".*>/, `<title>${pages[name].title}</title>`)
          .replace(
            "<!--head-->",
            `<meta http-equiv="Content-Security-Policy" content="${server ? developmentPolicy : contentSecurityPolicy}">
${fontPreload}
${previewOf(pages[name].title)}`,
          )
          .replace("<!--body-->", shell.renderShell(name, guideOf(name)));
      },
    },
  };
}

/** The font of running text. Pages preload it: a browser that finds it in the styles often draws the text first. */
const fontPreload =
  '<link rel="preload" href="/node_modules/@fontsource-variable/source-sans-3/files/source-sans-3-latin-wght-normal.woff2" as="font" type="font/woff2" crossorigin>';

/** The tags of Open Graph and Twitter. The server finds and rewrites them, see `pageTags.ts`. */
function previewOf(title: string): string {
  return `<meta name="description" property="og:description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:image" content="/picture.png">
<meta name="twitter:card" content="summary_large_image">`;
}

/** The development server adds styles by script and reloads through a socket. */
const developmentPolicy = contentSecurityPolicy
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
  .replace("connect-src 'self'", "connect-src 'self' ws:");

function pageOf(html: string, filename: string): PageName {
  const [, name] = /<meta name="page" content="(\w+)">/.exec(html) ?? [];
  if (name === undefined || !(name in pages)) throw new Error(`${filename} names no page of pages.ts`);
  return name as PageName;
}
