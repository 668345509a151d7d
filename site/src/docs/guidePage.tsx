// Renders the API guide, when the site is built: navigation, operations, rules, and the fields of a grant.
import { type ComponentChildren, Fragment } from "preact";
import type { Described, Guide, GuideOperation, GuideSection } from "./guide.ts";
import { Json, Panel, Request } from "./panels.tsx";
import { grantFields, type Rule, rules } from "./rules.ts";

/** The host in examples until a script fills in the real one. */
export const exampleOrigin = "https://grants.example.org";

/** The guide. */
export function GuidePage({ sections, mistake }: Guide) {
  return (
    <div class="wide page guide">
      <Navigation sections={sections} />
      <div class="guide-text">
        <h1>API guide</h1>
        <p class="lede">
          Read-only JSON over HTTP. No key, no account. Every page of this site is made of these calls.
        </p>
        <FirstRequest />
        {sections.map((section) => (
          <Operations key={section.id} section={section}>
            {section.id === "search-grants" ? <Mistake {...mistake} /> : null}
          </Operations>
        ))}
        {rules.map((rule) => (
          <RulePart key={rule.title} rule={rule}>
            {rule.title === "Errors" ? (
              <p>
                <a href="#search-grants">One 400 is shown whole</a> beside the search:{" "}
                <code>{mistake.request}</code>
              </p>
            ) : null}
          </RulePart>
        ))}
        <Part title="Grant record">
          <p>Every record has these eleven fields, in this order.</p>
          <DescribedList items={grantFields} />
        </Part>
      </div>
    </div>
  );
}

function Navigation({ sections }: Pick<Guide, "sections">) {
  return (
    <nav class="guide-nav" aria-label="Sections of the guide">
      <details>
        <summary>On this page</summary>
        <Links title="Start" links={[["first-request", "First request"]]} />
        <Links title="Operations" links={sections.map(({ id, title }) => [id, title])} />
        <Links title="Rules" links={rules.map(({ title }) => [idOf(title), title])} />
        <Links title="Reference" links={[["grant-record", "Grant record"]]}>
          <li>
            <a href="/openapi.json">openapi.json</a>
          </li>
        </Links>
      </details>
    </nav>
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

function FirstRequest() {
  return (
    <section class="section" id="first-request">
      <h2>First request</h2>
      <div class="guide-columns">
        <p>
          Open a call in the browser, or send it with any client; web pages may call the API, too. Lists have{" "}
          <code>data</code>, <code>total</code>, <code>limit</code> and <code>offset</code>; all errors have{" "}
          <a href="#errors">one shape</a>. Each page of this site shows its calls, to copy.
        </p>
        <Example request="/v1/history?limit=3" />
      </div>
    </section>
  );
}

/** A request, which the page's script finds, and its answer. */
function Example({ request, answer }: { request: string; answer?: string }) {
  return (
    <div>
      <div data-request={request}>
        <Request request={request} origin={exampleOrigin} />
      </div>
      {answer === undefined ? null : (
        <Panel
          title="Example answer"
          name={`Answer to ${request}`}
          isAnswer
          code={/^[[{]/.test(answer) ? <Json text={answer} /> : answer}
        />
      )}
    </div>
  );
}

type OperationsProperties = { section: GuideSection; children: ComponentChildren };

/** A section: text left, request and answer right. @param children stand below the answer of its first operation */
function Operations({ section, children }: OperationsProperties) {
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
              {index === 0 ? intro.map((text) => <P key={text} text={text} />) : null}
              {operations.length > 1 || intro.length === 0 ? <p>{operation.summary}.</p> : null}
              <List
                title={id === "search-grants" ? "Query parameters" : "Parameters"}
                items={operation.parameters}
              />
              {id === "search-grants" ? (
                <p class="note">
                  A parameter that is unknown, repeated, or blank is an error. One response reports up to 20
                  problems.
                </p>
              ) : null}
              <KnownParameters operation={operation} />
              <List title="Answer" items={operation.fields} />
            </div>
            <div>
              <Example request={operation.request} answer={operation.answer} />
              {index === 0 ? children : null}
            </div>
          </div>
        </Fragment>
      ))}
    </section>
  );
}

function KnownParameters({ operation: { parameters, knownParameters } }: { operation: GuideOperation }) {
  if (knownParameters.length === 0) return null;
  return (
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
  );
}

function Mistake({ request, answer }: Guide["mistake"]) {
  return (
    <Panel
      title="Two mistakes, one response"
      name={`Answer to ${request}`}
      isAnswer
      code={
        <>
          GET {request}
          {"\n\n"}
          <Json text={answer} />
        </>
      }
    >
      <span class="is-error">400 invalid_parameter</span>
    </Panel>
  );
}

/** A rule. @param children stand between its text and its list */
function RulePart({ rule, children }: { rule: Rule; children: ComponentChildren }) {
  const { title, text, code, items } = rule;
  return (
    <Part title={title}>
      {text.map((paragraph) => (
        <P key={paragraph} text={paragraph} />
      ))}
      {code === undefined ? null : (
        <div class="code-panel">
          <pre>{code}</pre>
        </div>
      )}
      {children}
      {items === undefined ? null : <DescribedList items={items} />}
    </Part>
  );
}

/** A part of the guide that is about all operations. */
function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="section guide-part" id={idOf(title)}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The anchor of a part, e.g., "page-files" of "Page files". */
function idOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

/** A list under a heading; nothing if it is empty. */
function List({ title, items }: { title: string; items: readonly Described[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <DescribedList items={items} />
    </>
  );
}

/** A list of parameters, fields, or codes. */
function DescribedList({ items }: { items: readonly Described[] }) {
  return (
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
  );
}

function P({ text }: { text: string }) {
  return (
    <p>
      <Prose text={text} />
    </p>
  );
}

/** A text in which backticks mark code. */
function Prose({ text }: { text: string }) {
  return (
    <>{text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>
  );
}
