// Shows an organization by its name, if it is known, and its EIN, as a link to its page.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { pageHref } from "../api/calls.ts";
import type { Names } from "../names/useNames.ts";

import { FiledText } from "./filedText.tsx";

export type Organization = {
  readonly page: "funder" | "recipient";
  readonly ein: string;
  readonly name: string | undefined;
};

/** The link, and the EIN after a name. */
export function OrganizationName({ page, ein, name }: Organization) {
  const shownEin = `EIN ${hyphenateEin(ein)}`;
  return (
    <>
      <a href={pageHref(page, { ein })} title={name}>
        {name === undefined ? shownEin : <FiledText text={name} />}
      </a>
      {name === undefined ? null : <small> {shownEin}</small>}
    </>
  );
}

/** A funder in a cell; two lines are reserved where the release has names. */
export function FunderName({ ein, names }: { ein: string; names: Names }) {
  return (
    <div class={names.hasNames ? "two-lines" : ""}>
      <OrganizationName page="funder" ein={ein} name={names.nameOf(ein)?.name} />
    </div>
  );
}
