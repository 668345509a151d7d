// Shows the guide's reference: the record's fields, and what the specification leaves open.
import { fieldSchemas, nullableFields, recordFields } from "../../../api-static/contract/record.ts";
import { DescribedList } from "./operation.tsx";
import { P, Part, Prose } from "./prose.tsx";

/** The fields of a grant. */
export function GrantRecord() {
  return (
    <Part title="Grant record">
      <P text="Every record has these eleven fields, in this order." />
      <DescribedList
        items={recordFields.map((name) => {
          const { type, description } = fieldSchemas[name];
          const isNullable = (nullableFields as readonly string[]).includes(name);
          return { name, kind: `${type}${isNullable ? " or null" : ""}`, description: String(description) };
        })}
      />
    </Part>
  );
}

/** What the specification leaves open, and how this service decides it. */
export function OpenPoints() {
  return (
    <Part title="Open points, decided">
      <P text="What the interface specification leaves open, and how this service decides it." />
      <dl class="guide-list">
        {openPoints.map(([point, decision]) => (
          <div key={point}>
            <dt>
              <b>{point}</b>
            </dt>
            <dd>
              <Prose text={decision} />
            </dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

const openPoints = [
  ["Order", "Newest year, then largest amount, then lowest id: the same in both operations."],
  ["Minimum amount", "Inclusive. At most two decimals; may be negative, as corrections are."],
  [
    "A limit above 1,000",
    "400, not clamped: a client that steps by the limit it asked for would lose grants.",
  ],
  ["Text filters", "Literal and regardless of case. `%`, `_` and `*` have no special meaning."],
  ["Null", "Never matches a filter. A blank text of the warehouse becomes null."],
  ["EINs", "Nine digits. `13-1635294` is read too; in a path it is redirected (308)."],
  ["Unknown, repeated or blank parameters", "400 that names every problem. Nothing is silently ignored."],
  ["A funder without grants", "404 on its own path; `total` 0 in a search."],
  ["Filters on a funder’s path", "The same as in a search with that `funder_ein`."],
  ["Amounts", "JSON numbers with two decimals, exact to the cent."],
  ["Equal ids in the warehouse", "The row created last counts; the others are rejected and counted."],
] as const;
