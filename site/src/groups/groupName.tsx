// Shows the name of a group of grants, as a link to them.

import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { nameCause } from "../../../api-static/contract/text/causes.ts";
import { nameState, nameTown } from "../../../api-static/contract/text/states.ts";
import type { Query } from "../address/query.ts";
import type { Names } from "../names/useNames.ts";
import { FiledText } from "../parts/filedText.tsx";
import { isGeneralName } from "../text/generalNames.ts";
import { causeFundersHref, type Group, grantsHref } from "./group.ts";

type Properties = {
  readonly group: Group;
  /** The search that was grouped. */
  readonly query: Query;
  readonly names: Names;
  readonly nameOfCause?: ((cause: string) => string) | undefined;
};

/** The name, or what is known of it; a text that filers write in place of names is marked. */
export function GroupName({ group, query, names, nameOfCause = nameCause }: Properties) {
  const href = grantsHref(query, group);
  const { by } = query;
  const { name, ein } = read(group, names, nameOfCause);
  const missing = missingName(group);
  const text = name ?? (ein === undefined ? missing : `EIN ${hyphenateEin(ein)}`);
  const isGeneral = "recipient_ein" in group && ein === undefined && isGeneralName(text);
  const note = isGeneral ? "No name: several recipients" : describeEin(group, name, ein);
  return (
    <>
      {href === undefined ? (
        text
      ) : (
        <a href={href} title={text}>
          <FiledText text={text} />
        </a>
      )}
      {by !== "recipient_cause" || !("cause" in group) || group.cause === null ? null : (
        <small>
          {" "}
          <a href={causeFundersHref(query, group.cause)}>
            Funders<span class="hidden"> of {text}</span>
          </a>
        </small>
      )}
      {note === "" ? null : <small class={isGeneral ? "is-general" : ""}> {note}</small>}
    </>
  );
}

function missingName(group: Group): string {
  if ("city" in group) return "City not known";
  if ("state" in group) return "State not known";
  return "cause" in group ? "Cause not known" : "None filed";
}

function read(
  group: Group,
  names: Names,
  nameOfCause: (cause: string) => string,
): { name: string | undefined; ein: string | undefined } {
  if ("funder_ein" in group) return { name: names.nameOf(group.funder_ein)?.name, ein: group.funder_ein };
  if ("transaction_year" in group) return { name: String(group.transaction_year), ein: undefined };
  if ("city" in group) {
    const state = group.state === null ? "" : `, ${group.state}`;
    return { name: group.city === null ? undefined : nameTown(group.city) + state, ein: undefined };
  }
  if ("state" in group)
    return { name: group.state === null ? undefined : nameState(group.state), ein: undefined };
  if ("cause" in group)
    return { name: group.cause === null ? undefined : nameOfCause(group.cause), ein: undefined };
  if ("type" in group) return { name: group.type ?? undefined, ein: undefined };
  return { name: group.recipient_name ?? undefined, ein: group.recipient_ein ?? undefined };
}

/** The EIN beside a name, or that a recipient has none; "" if there is nothing to say. */
function describeEin(group: Group, name: string | undefined, ein: string | undefined): string {
  if (ein === undefined) return "recipient_ein" in group ? "No EIN filed" : "";
  return name === undefined ? "" : `EIN ${hyphenateEin(ein)}`;
}

/** Tells groups of a page apart. */
export function keyOfGroup(group: Group): string {
  const { records: _, amount: __, non_cash: ___, ...key } = group;
  return Object.values(key).join(" ");
}
