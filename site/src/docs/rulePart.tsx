// Shows the rules of the API.
import type { ComponentChildren } from "preact";
import { DescribedList } from "./operation.tsx";
import { Code, P, Part } from "./prose.tsx";
import type { Rule } from "./rules.ts";

/** A rule. @param children stand between its text and its list */
export function RulePart({ rule, children }: { rule: Rule; children?: ComponentChildren }) {
  const { title, text, code, items } = rule;
  return (
    <Part title={title}>
      {text.map((paragraph) => (
        <P key={paragraph} text={paragraph} />
      ))}
      {code === undefined ? null : <Code>{code}</Code>}
      {children}
      {items === undefined ? null : <DescribedList items={items} />}
    </Part>
  );
}
