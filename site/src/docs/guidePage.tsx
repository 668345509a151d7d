// Shows the API guide whole, with examples that run. The HTML has it in short: shortGuide.tsx.
import { Fragment } from "preact";
import type { Guide, GuideOperation, GuideSection } from "./guide.ts";
import { FirstRequest, GuideFrame } from "./guideFrame.tsx";
import { Endpoint, List, Parameters } from "./operation.tsx";
import { Json, Panel, Panels } from "./panels.tsx";
import { Prose } from "./prose.tsx";
import { GrantRecord } from "./reference.tsx";
import { RulePart } from "./rulePart.tsx";
import { rules } from "./rules.ts";

/** The guide. @param origin the host that examples name */
export function GuidePage({ sections, mistake, origin }: Guide & { origin: string }) {
  return (
    <GuideFrame sections={sections} rules={rules.map(({ title }) => title)} reference={["Grant record"]}>
      <FirstRequest origin={origin} />
      {sections.map((section) => (
        <Operations
          key={section.id}
          section={section}
          mistake={section.id === "search-grants" ? mistake : undefined}
        />
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
      <GrantRecord />
    </GuideFrame>
  );
}

type OperationsProperties = { section: GuideSection; mistake: Guide["mistake"] | undefined };

/** A section: text left, request and answer right. */
function Operations({ section, mistake }: OperationsProperties) {
  const { id, title, intro, operations } = section;
  return (
    <section class="section" id={id}>
      <h2>{title}</h2>
      {operations.map((operation, index) => (
        <Fragment key={operation.id}>
          <Endpoint operation={operation} id={operation.id === id ? undefined : operation.id} />
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
              <KnownParameters operation={operation} />
              <List title="Answer" items={operation.fields} />
            </div>
            <div>
              <Panels request={operation.request} answer={operation.answer} />
              {mistake === undefined ? null : <Mistake {...mistake} />}
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
