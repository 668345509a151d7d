// Links to the CSV file of the grants that are shown, plain and for Excel; with names if the release has a list of them.
import type { ComponentChild, ComponentChildren } from "preact";
import type { Query } from "../address/query.ts";
import { useStatus } from "../api/useCall.ts";
import { Icon } from "./icon.tsx";

type Properties = {
  /** The address of the file in a form, which is parameters of the API. */
  readonly hrefOf: (form: Query) => string;
  /** True if the links keep their place until it is known that there are grants. */
  readonly isAwaited?: boolean;
  /** True if the page's order is by amount, which a file has not. */
  readonly isByAmount?: boolean;
  /** What else is to be known of the files. */
  readonly note?: string | undefined;
  /** Stands beside the links. */
  readonly beside?: ComponentChild;
  /** The label of the plain file. */
  readonly children: ComponentChildren;
};

export function CsvLinks({
  hrefOf,
  isAwaited = false,
  isByAmount = false,
  note = "",
  beside,
  children,
}: Properties) {
  const named = (useStatus().found?.body.organizations ?? 0) > 0 ? { names: "1" } : {};
  return (
    <div class={`csv${isAwaited ? " is-awaited" : ""}`}>
      <a class="button" href={hrefOf({ formulas: "escape", ...named })} download>
        <Icon name="download" /> {children}
      </a>
      <a class="button" href={hrefOf({ excel: "1", ...named })} download>
        CSV for Excel
      </a>
      {beside}
      <p class="note">
        {isByAmount ? "The files are in order of year." : "Excel’s own file keeps the zeros of EINs."} {note}
      </p>
    </div>
  );
}
