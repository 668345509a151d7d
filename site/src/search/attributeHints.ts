// Says what the site's hints say of filters by an attribute, where nothing was found: a row for each.
import type { AttributeName } from "../../../api-static/contract/filters/attributes.ts";

export type AttributeHints = {
  /** In place of a value, for any. */
  readonly any: string;
  /** Why nothing was found by it alone. */
  readonly none: string;
  /** What else to try. */
  readonly hint?: string;
};

const stateHint = "A state finds only grants whose state is known, so also try without it.";
const causeHint =
  "A cause finds only grants to or from organizations that the IRS’s list has with one, so also try words.";
const townHint = "Many grants are filed without their recipient’s address, so also try its state.";

export const attributeHints: Readonly<Record<AttributeName, AttributeHints>> = {
  type: {
    any: "of any type",
    none: "No grant in the data has this type. The whole type must be given, as filed.",
  },
  funder_state: {
    any: "from funders in any state",
    none: "No funder in the data is known to be in this state.",
    hint: stateHint,
  },
  recipient_city: {
    any: "to recipients in any city",
    none: "No recipient in the data is known to be in this city. The whole name must be given, as filed.",
    hint: townHint,
  },
  recipient_state: {
    any: "to recipients in any state",
    none: "No recipient in the data is known to be in this state.",
    hint: stateHint,
  },
  recipient_zip: {
    any: "to recipients in any ZIP code",
    none: "No recipient in the data is known to have this ZIP code.",
    hint: townHint,
  },
  funder_cause: {
    any: "from organizations for any cause",
    none: "No funder in the data is known to have this cause.",
    hint: causeHint,
  },
  recipient_cause: {
    any: "to organizations for any cause",
    none: "No recipient in the data is known to have this cause.",
    hint: causeHint,
  },
  accepts: {
    any: "from any funders",
    none: "No grant in the data is from such a funder.",
    hint: "Only returns of private foundations say if they take applications, so also try without it.",
  },
};
