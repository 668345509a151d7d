// Shows an organization that was found by its name: its place and EIN, and the sums that it gave and received.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import type { FoundOrganization } from "../api/client.ts";
import { formatAmountShort } from "../text/numbers.ts";
import { formatPlace } from "../text/places.ts";
import { FiledText } from "./filedText.tsx";
import { Icon } from "./icon.tsx";

type Properties = {
  readonly organization: FoundOrganization;
  /** The address that its name leads to; undefined in a list whose whole line is chosen. */
  readonly href?: string;
};

/** The line; on phones the sums go below the name. */
export function OrganizationLine({ organization, href }: Properties) {
  const { ein, name, also, given, received } = organization;
  const hyphenated = hyphenateEin(ein);
  const shown = name === null ? `EIN ${hyphenated}` : <FiledText text={name} />;
  const details = [also, formatPlace(organization), name === null ? undefined : hyphenated];
  return (
    <span class="found">
      <span>
        {href === undefined ? <b>{shown}</b> : <a href={href}>{shown}</a>}{" "}
        <small>{details.filter((each) => each !== undefined).join(" · ")}</small>
      </span>{" "}
      <small class="found-sums">
        {given.records + received.records === 0 ? "No grants in the data" : null}
        <Sum icon="out" verb="gave" {...given} />
        <Sum icon="in" verb="received" {...received} />
      </small>
    </span>
  );
}

type SumProperties = { icon: "out" | "in"; verb: string; records: number; amount: number };

function Sum({ icon, verb, records, amount }: SumProperties) {
  if (records === 0) return null;
  return (
    <span class={`tone-${icon}`}>
      <Icon name={icon} /> {verb} {formatAmountShort(amount)}{" "}
    </span>
  );
}
