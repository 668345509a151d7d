// Renders the API guide when the site is built. The page's script never loads this: it adds controls to the HTML.
import { Fragment } from "preact";
import type { Described, GuideOperation, GuideSection } from "./guide.ts";
import { Panel, Panels } from "./panels.tsx";
import { Prose } from "./prose.tsx";
import { Reference, Rules, referenceLinks, ruleLinks } from "./rules.tsx";

export type Guide = {
  readonly sections: readonly GuideSection[];
  /** A request with mistakes, and the answer that reports them. */
  readonly mistake: { readonly request: string; readonly answer: string };
};

/** The whole guide. */
export function GuidePage({ sections, mistake }: Guide) {
  const operationLinks = sections.map(({ id, title }) => [id, title] as const);
  return (
    <div class="wide page guide">
      <nav class="guide-nav" aria-label="Sections of the guide">
        <details>
          <summary>On this page</summary>
          <Links title="Start" links={[["first-request", "First request"]]} />
          <Links title="Operations" links={operationLinks} />
          <Links title="Rules" links={ruleLinks} />
          <Links title="Reference" links={referenceLinks}>
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
        <FirstRequest />
        {sections.map((section) => (
          <Operations
            key={section.id}
            section={section}
            mistake={section.id === "search-grants" ? mistake : undefined}
          />
        ))}
        <Rules mistake={mistake} />
        <Reference />
      </div>
    </div>
  );
}

type LinksProperties = {
  title: string;
  links: readonly (readonly [id: string, title: string])[];
  children?: preact.ComponentChildren;
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

function FirstRequest() {
  return (
    <section class="section" id="first-request">
      <h2>First request</h2>
      <div class="guide-columns">
        <p>
          Open a call in the browser, or send it with any client. Every answer of a list has <code>data</code>
          , <code>total</code>, <code>limit</code> and <code>offset</code>; every error has the{" "}
          <a href="#errors">same shape</a>. Any web page may call the API, too. The call behind each page of
          this site stands on the page, to copy.
        </p>
        <Panel
          title="Request"
          name="First request"
          code="curl 'https://grants.example.org/v1/history?limit=3'"
        />
      </div>
    </section>
  );
}

type OperationsProperties = { section: GuideSection; mistake: Guide["mistake"] | undefined };

function Operations({ section, mistake }: OperationsProperties) {
  const { id, title, intro, operations } = section;
  return (
    <section class="section" id={id}>
      <h2>{title}</h2>
      {operations.map((operation, index) => (
        <Fragment key={operation.id}>
          <p class="endpoint" id={operation.id === id ? undefined : operation.id}>
            <b>GET</b> <code>{operation.path}</code>
          </p>
          <div class="guide-columns">
            <div>
              {index === 0
                ? intro.map((text) => (
                    <p key={text}>
                      <Prose text={text} />
                    </p>
                  ))
                : null}
              {operations.length > 1 || intro.length === 0 ? <p>{operation.summary}.</p> : null}
              <Parameters operation={operation} isFirst={id === "search-grants"} />
              <List title="Answer" items={operation.fields} />
            </div>
            <div>
              <div data-request={operation.request}>
                <Panels request={operation.request} answer={operation.answer} />
              </div>
              {mistake === undefined ? null : (
                <div data-mistake={`GET ${mistake.request}\n\n`}>
                  <Panel
                    title="Two mistakes, one response"
                    name={`Answer to ${mistake.request}`}
                    isAnswer
                    code={`GET ${mistake.request}\n\n${mistake.answer}`}
                  >
                    <span class="is-error">400 invalid_parameter</span>
                  </Panel>
                </div>
              )}
            </div>
          </div>
        </Fragment>
      ))}
    </section>
  );
}

function Parameters({ operation, isFirst }: { operation: GuideOperation; isFirst: boolean }) {
  const { parameters, knownParameters } = operation;
  return (
    <>
      <List title={isFirst ? "Query parameters" : "Parameters"} items={parameters} />
      {knownParameters.length === 0 ? null : (
        <p class="note">
          {parameters.length === 0 ? "Takes " : "Also takes "}
          {knownParameters.map((name, index) => (
            <Fragment key={name}>
              {index === 0 ? "" : index === knownParameters.length - 1 ? " and " : ", "}
              <code>{name}</code>
            </Fragment>
          ))}
          , as above.
        </p>
      )}
      {isFirst ? (
        <p class="note">
          A parameter that is unknown, repeated, or blank is an error. One response reports every problem.
        </p>
      ) : null}
    </>
  );
}

/** A list of parameters or fields; nothing if it is empty. */
export function List({ title, items }: { title: string; items: readonly Described[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="guide-list">
        {items.map(({ name, kind, description }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
              {kind === "" ? null : <small> {kind}</small>}
            </dt>
            <dd>
              <Prose text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
