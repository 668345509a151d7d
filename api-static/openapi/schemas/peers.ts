// Builds the schemas of peers.
import { maxLinks, maxPeers } from "../../contract/peers.ts";
import { fieldSchemas } from "../../contract/record.ts";
import { count, exactly, nullable } from "./primitives.ts";

const similarity = {
  score: {
    type: "number",
    minimum: 0,
    maximum: 1,
    description:
      "Cosine similarity of the two lists, rounded to six decimals. Each entry of a list weighs one divided by the number of lists that it is on.",
  },
} as const;

const peersDescription = `At most ${maxPeers}, most similar first; empty if there are none.`;

/** The peers of a funder. */
export const funderPeers = exactly("Funders of the same recipients.", {
  success: { const: true },
  data: exactly("A funder and its peers.", {
    funder_ein: fieldSchemas.funder_ein,
    peers: {
      type: "array",
      maxItems: maxPeers,
      description: peersDescription,
      items: exactly("A funder that shares recipients.", {
        funder_ein: fieldSchemas.funder_ein,
        shared_recipients: {
          ...count,
          description: `Recipients of both, by EIN; those with more than ${maxLinks} funders are not counted.`,
        },
        recipients: { ...count, description: "Number of this funder's recipients with an EIN." },
        ...similarity,
      }),
    },
  }),
});

/** The peers of a recipient. */
export const recipientPeers = exactly("Other recipients of the same funders.", {
  success: { const: true },
  data: exactly("A recipient and its peers.", {
    recipient_ein: { ...fieldSchemas.funder_ein, description: "EIN of the recipient." },
    peers: {
      type: "array",
      maxItems: maxPeers,
      description: peersDescription,
      items: exactly("A recipient that shares funders.", {
        recipient_ein: { ...fieldSchemas.funder_ein, description: "EIN of the recipient." },
        recipient_name: nullable({
          ...fieldSchemas.recipient_name,
          description: "The name that most of its grants give.",
        }),
        shared_funders: {
          ...count,
          description: `Funders of both; those with more than ${maxLinks} recipients are not counted.`,
        },
        funders: { ...count, description: "Number of this recipient's funders." },
        ...similarity,
      }),
    },
  }),
});
