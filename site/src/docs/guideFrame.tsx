// Shows the frame of both forms of the guide: the list of sections, its heading, and the first request.
import type { ComponentChildren } from "preact";
import type { GuideSection } from "./guide.ts";
import { Panel } from "./panels.tsx";
import { idOf } from "./prose.tsx";

type Properties = {
  readonly sections: readonly GuideSection[];
  /** Titles of the parts about all operations. */
  readonly rules: readonly string[];
  readonly reference: readonly string[];
  readonly children: ComponentChildren;
};

/** The guide's frame. */
export function GuideFrame({ sections, rules, reference, children }: Properties) {
  return (
    <div class="wide page guide">
      <nav class="guide-nav" aria-label="Sections of the guide">
        <details>
          <summary>On this page</summary>
          <Links title="Start" links={[["first-request", "First request"]]} />
          <Links title="Operations" links={sections.map(({ id, title }) => [id, title])} />
          <Links title="Rules" links={rules.map((title) => [idOf(title), title])} />
          <Links title="Reference" links={reference.map((title) => [idOf(title), title])}>
            <li>
              <a href="/openapi.json">openapi.json</a>
            </li>
          </Links>
        </details>
      </nav>
      <div class="guide-text">
        <h1>API guide</h1>
        <p class="lede">
          Read-only JSON over HTTP. No key, no account. Every page of this site is made of these calls.
        </p>
        {children}
      </div>
    </div>
  );
}

type LinksProperties = {
  title: string;
  links: readonly (readonly [id: string, title: string])[];
  children?: ComponentChildren;
};

function Links({ title, links, children }: LinksProperties) {
  return (
    <>
      <p>{title}</p>
      <ul>
        {links.map(([id, text]) => (
          <li key={id}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
        {children}
      </ul>
    </>
  );
}

/** The introduction. @param origin the host that the example names */
export function FirstRequest({ origin }: { origin: string }) {
  return (
    <section class="section" id="first-request">
      <h2>First request</h2>
      <div class="guide-columns">
        <p>
          Open a call in the browser, or send it with any client; web pages may call the API, too. Lists have{" "}
          <code>data</code>, <code>total</code>, <code>limit</code> and <code>offset</code>; all errors have{" "}
          <a href="#errors">one shape</a>. Each page of this site shows its calls, to copy.
        </p>
        <Panel title="Request" name="First request" code={`curl '${origin}/v1/history?limit=3'`} />
      </div>
    </section>
  );
}
