// Renders a page's frame: skip link, masthead, an empty main, and footer.
import { renderToString } from "preact-render-to-string";
import type { PageName } from "../../pages.ts";
import type { Guide } from "../docs/guide.ts";
import { ShortGuide } from "../docs/shortGuide.tsx";
import { Footer } from "./footer.tsx";
import { Masthead } from "./masthead.tsx";
import { withoutScript } from "./withoutScript.tsx";

/** The HTML of a page's body, with a short form of the API guide from `guide`. The page's script fills `#main`, `#find` and `#release`. */
export function renderShell(name: PageName, guide?: Guide): string {
  return renderToString(
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Masthead name={name} />
      <main id="main" tabIndex={-1}>
        {guide === undefined ? withoutScript[name] : <ShortGuide {...guide} />}
      </main>
      <Footer />
    </>,
  );
}
