// Shows an operation in the guide: its path, its parameters, the fields of its answer.
import type { Described, GuideOperation } from "./guide.ts";
import { Prose } from "./prose.tsx";

/** The method and path. @param id an anchor */
export function Endpoint({ operation, id }: { operation: GuideOperation; id?: string | undefined }) {
  return (
    <p class="endpoint" id={id}>
      <b>GET</b> <code>{operation.path}</code>
    </p>
  );
}

/** The parameters that no earlier operation has. @param isFirst whether the rule for all parameters follows */
export function Parameters({ operation, isFirst }: { operation: GuideOperation; isFirst: boolean }) {
  return (
    <>
      <List title={isFirst ? "Query parameters" : "Parameters"} items={operation.parameters} />
      {isFirst ? (
        <p class="note">
          A parameter that is unknown, repeated, or blank is an error. One response reports up to 20 problems.
        </p>
      ) : null}
    </>
  );
}

/** A list under a heading; nothing if it is empty. */
export function List({ title, items }: { title: string; items: readonly Described[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <DescribedList items={items} />
    </>
  );
}

/** A list of parameters, fields, or codes. */
export function DescribedList({ items }: { items: readonly Described[] }) {
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
