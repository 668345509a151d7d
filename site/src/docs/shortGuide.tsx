// Renders the API guide in short, for the HTML: every operation, parameter, error and field of a grant, in 4 KB compressed.
import { Fragment } from "preact";
import type { Guide, GuideSection } from "./guide.ts";
import { FirstRequest, GuideFrame } from "./guideFrame.tsx";
import { Endpoint, Parameters } from "./operation.tsx";
import { Prose } from "./prose.tsx";
import { GrantRecord } from "./reference.tsx";
import { RulePart } from "./rulePart.tsx";
import { rules } from "./rules.ts";

/** The host in examples before a script fills in the real one. */
const exampleOrigin = "https://grants.example.org";

const rulesInHtml = rules.filter(({ isInHtml }) => isInHtml === true);

/** The guide, laid out as `GuidePage` as far as the first screen shows it, so that nothing moves when the script runs. */
export function ShortGuide({ sections }: Guide) {
  return (
    <GuideFrame
      sections={sections}
      rules={rulesInHtml.map(({ title }) => title)}
      reference={["Grant record"]}
    >
      <noscript>
        <p class="note">
          Examples need JavaScript; <a href="/openapi.json">openapi.json</a> has them, too.
        </p>
      </noscript>
      <FirstRequest origin={exampleOrigin} />
      {sections.map((section) => (
        <Operations key={section.id} section={section} />
      ))}
      {rulesInHtml.map((rule) => (
        <RulePart key={rule.title} rule={rule} />
      ))}
      <GrantRecord />
    </GuideFrame>
  );
}

function Operations({ section: { id, title, intro, operations } }: { section: GuideSection }) {
  return (
    <section class="section" id={id}>
      <h2>{title}</h2>
      {operations.map((operation) => (
        <Fragment key={operation.id}>
          <Endpoint operation={operation} />
          <div class="guide-columns">
            <div>
              <p>
                <Prose
                  text={operations.length === 1 ? (intro[0] ?? operation.summary) : `${operation.summary}.`}
                />
              </p>
              <Parameters operation={operation} isFirst={id === "search-grants"} />
            </div>
          </div>
        </Fragment>
      ))}
    </section>
  );
}
