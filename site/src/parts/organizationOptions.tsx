// Lists the organizations that a field suggests. Loaded once a reader is at the field.
import { useLayoutEffect } from "preact/hooks";
import { useOrganizations } from "../names/useOrganizations.ts";
import type { Option } from "./combobox.tsx";
import { OrganizationLine } from "./organizationLine.tsx";

type Properties = {
  readonly text: string;
  readonly side: "funder" | "recipient";
  readonly onOptions: (options: readonly Option[]) => void;
};

/** Draws nothing: it gives the options, whose keys are EINs, to the field whenever they change. */
export function OrganizationOptions({ text, side, onOptions }: Properties) {
  const { organizations = [] } = useOrganizations(text, side);
  useLayoutEffect(
    () =>
      onOptions(
        organizations.map((organization) => ({
          key: organization.ein,
          content: <OrganizationLine organization={organization} />,
        })),
      ),
    [organizations],
  );
  return null;
}
