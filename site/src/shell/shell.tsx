// Renders a page's frame: skip link, masthead, an empty main, and footer.
import { renderToString } from "preact-render-to-string";
import type { PageName } from "../../pages.ts";
import type { Guide } from "../docs/guide.ts";
import { GuidePage } from "../docs/guidePage.tsx";
import { Footer } from "./footer.tsx";
import { Masthead } from "./masthead.tsx";
import { withoutScript } from "./withoutScript.tsx";

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
