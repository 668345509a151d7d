// Says what the site's fields and chips say of filters by an attribute: a row for each.

import {
  type AttributeName,
  acceptanceNames,
  nameAcceptance,
} from "../../../api-static/contract/filters/attributes.ts";
import { causeNames, nameCause } from "../../../api-static/contract/text/causes.ts";
import { type KnownNames, quote } from "../../../api-static/contract/text/searchText.ts";
import { nameState, nameTown, stateNames } from "../../../api-static/contract/text/states.ts";

export type AttributeText = {
  /** The label of the field. */
  readonly label: string;
  /** The values of the field, with their names; absent if they are typed. */
  readonly options?: ReadonlyMap<string, string>;
  /** The label of the chip, if it is another. */
  readonly chip?: string;
  /** A value in words. */
  readonly name: (value: string, names?: KnownNames) => string;
  /** What a value must be; absent if any text may be one. */
  readonly rule?: string;
  /**
   * True if the field is shown only if a reader asks for more filters, or if it is set. The type is one of them, and every release has types:
   * so the button "More filters" stays, and nothing below it moves, when the status shows that a release has no towns and causes.
   */
  readonly isRare?: true;
};

const stateRule = "A state has two letters, for example CA.";
const sayCause = (cause: string, { nameOfCause = nameCause }: KnownNames = {}) => nameOfCause(cause);
const causeRule = "A cause is the start of an NTEE code, for example A68.";

export const attributeTexts: Readonly<Record<AttributeName, AttributeText>> = {
  type: {
    label: "Type",
    name: quote,
    isRare: true,
  },
  funder_state: {
    label: "Funder’s state",
    options: stateNames,
    chip: "Funders in",
    name: nameState,
    rule: stateRule,
  },
  recipient_city: {
    label: "Recipient’s city",
    chip: "Recipients in",
    name: nameTown,
    isRare: true,
  },
  recipient_state: {
    label: "Recipient’s state",
    options: stateNames,
    chip: "Recipients in",
    name: nameState,
    rule: stateRule,
  },
  recipient_zip: {
    label: "Recipient’s ZIP",
    name: String,
    rule: "A ZIP code has three to five digits.",
    isRare: true,
  },
  funder_cause: {
    label: "Funder’s cause",
    options: causeNames,
    chip: "Funders for",
    name: sayCause,
    rule: causeRule,
    isRare: true,
  },
  recipient_cause: {
    label: "Recipient’s cause",
    options: causeNames,
    chip: "Recipients for",
    name: sayCause,
    rule: causeRule,
    isRare: true,
  },
  accepts: {
    label: "Funders",
    options: acceptanceNames,
    name: nameAcceptance,
    isRare: true,
  },
};

/** True if a parameter is a filter by an attribute. */
export function isAttribute(name: string): name is AttributeName {
  return name in attributeTexts;
}
