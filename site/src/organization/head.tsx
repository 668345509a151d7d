// Shows the head of an organization's page: its role, name, EIN, place, and actions.

import type { ComponentChildren } from "preact";
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { CopyEin } from "../parts/copy.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { Icon } from "../parts/icon.tsx";

import type { Side } from "./side.ts";

type Properties = {
  readonly side: Side;
  readonly ein: string;
  /** Undefined until it arrives: its line is reserved. Null if no source has it: the EIN is shown instead. */
  readonly name: string | null | undefined;
  readonly place: string | undefined;
  /** Links of the page, such as its CSV. */
  readonly children: ComponentChildren;
};

/** The head of the page. */
export function OrganizationHead({ side, ein, name, place, children }: Properties) {
  const title =
    name === undefined ? "\u00A0" : name === null ? `EIN ${hyphenateEin(ein)}` : <FiledText text={name} />;
  return (
    <header class="organization-head">
      <div class="organization-name">
        <Kicker side={side} />
        <h1>{title}</h1>
        <p class="organization-line">
          <span>
            {name === null ? "Name not known" : `EIN ${hyphenateEin(ein)}`} <CopyEin ein={ein} />
          </span>
          {place === undefined ? null : <span>{place}</span>}
        </p>
      </div>
      {children === null ? null : <div class="actions">{children}</div>}
    </header>
  );
}

/** The head until the page can be drawn. Nothing is below the heading, so nothing moves when the name takes its place. */
export function PendingHead({ side, ein }: Pick<Properties, "side" | "ein">) {
  return (
    <header class="organization-head" aria-busy="true">
      <div class="organization-name">
        <Kicker side={side} />
        <h1>EIN {hyphenateEin(ein)}</h1>
      </div>
    </header>
  );
}

/** The role of the organization, above its name. */
export function Kicker({ side }: Pick<Properties, "side">) {
  return (
    <p class="kicker">
      <Icon name={side === "funder" ? "out" : "in"} /> {side === "funder" ? "Funder" : "Recipient"}
    </p>
  );
}
