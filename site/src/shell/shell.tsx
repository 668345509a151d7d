// Renders a page's frame: skip link, masthead, an empty main, and footer.
import { renderToString } from "preact-render-to-string";
import type { PageName } from "../../pages.ts";
import { Footer } from "./footer.tsx";
import { Masthead } from "./masthead.tsx";
import { withoutScript } from "./withoutScript.tsx";

/** The HTML of a page's body. The page's script fills `#main`, `#find` and `#release`. */
export function renderShell(name: PageName): string {
  return renderToString(
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Masthead name={name} />
      <main id="main" tabIndex={-1}>
        {withoutScript[name]}
      </main>
      <Footer />
    </>,
  );
}
