// Shows whether a funder takes applications, by its newest return that says it.
import type { Organization } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { findReturnHrefs } from "../text/returns.ts";

type Stated = NonNullable<Organization["applications"]>;

const sentences: Readonly<Record<Stated["accepts"], string>> = {
  yes: "It says how to apply for its grants",
  no: "It says that it gives only to organizations it selects itself",
};

/** What applications must have, as filed. */
const texts = [
  ["form", "What to send"],
  ["deadlines", "Deadlines"],
  ["restrictions", "Restrictions"],
] as const satisfies readonly [keyof Stated, string][];

/** The section, with a link to the return. */
export function Applications({ ein, stated }: { ein: string; stated: Stated }) {
  const { source, tax_year } = stated;
  const name = `${tax_year} return`;
  const href = source === null ? undefined : findReturnHrefs(ein, { ...source, zip: null }).propublica;
  return (
    <Section title="Applications">
      <p>
        {sentences[stated.accepts]} (
        {href === undefined ? (
          name
        ) : (
          <a href={href} rel="noreferrer">
            {name}
          </a>
        )}
        ).
      </p>
      {texts.map(([field, label]) => {
        const text = stated[field];
        return text === null ? null : (
          <p key={field} class="filed">
            {label}, as filed: <FiledText text={text} />
          </p>
        );
      })}
    </Section>
  );
}
