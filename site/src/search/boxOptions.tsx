// Lists the suggestions for the text in a box. Loaded once a reader is at a box.
import { useLayoutEffect } from "preact/hooks";
import { useOrganizations } from "../names/useOrganizations.ts";
import type { Option } from "../parts/combobox.tsx";
import { OrganizationLine } from "../parts/organizationLine.tsx";
import { readEin, type Scope } from "./fields.ts";
import { type Suggestion, suggestForEin, suggestForWords } from "./suggestions.ts";

export { findNamed } from "../names/useOrganizations.ts";
export { organizationHref } from "./suggestions.ts";

export type BoxOption = Option & Pick<Suggestion, "target">;

type Properties = {
  readonly text: string;
  readonly scope: Scope;
  readonly onOptions: (options: readonly BoxOption[]) => void;
};

/** Draws nothing: it gives the options to the box whenever they change. */
export function BoxOptions({ text, scope, onOptions }: Properties) {
  const found = useOrganizations(text);
  useLayoutEffect(() => {
    const ein = readEin(text);
    const suggestions = ein === undefined ? suggestForWords(text, scope, found) : suggestForEin(ein, found);
    onOptions(
      suggestions.map((suggestion) => ({ ...suggestion, content: <Line suggestion={suggestion} /> })),
    );
  }, [text, scope, found]);
  return null;
}

function Line({ suggestion: { lead, subject, organization } }: { suggestion: Suggestion }) {
  if (organization !== undefined) return <OrganizationLine organization={organization} />;
  return (
    <>
      {lead} <b>{subject}</b>
    </>
  );
}
