// Builds the schemas of peers.
import { maxLinks, maxPeers } from "../../contract/peers.ts";
import { fieldSchemas, recipientEin, recipientName } from "../../contract/record.ts";
import { body, counted, exactly, type Schema } from "../../contract/schema.ts";

const score = {
  type: "number",
  minimum: 0,
  maximum: 1,
  description:
    "Cosine similarity of the two lists, rounded to six decimals. Each entry of a list weighs one divided by the number of lists that it is on.",
} as const;

const peersOf = <const Items extends Schema>(items: Items) =>
  ({
    type: "array",
    maxItems: maxPeers,
    description: `At most ${maxPeers}, most similar first; empty if there are none.`,
    items,
  }) as const;

const funderEin = fieldSchemas.funder_ein;

export const peerSchemas = {
  FunderPeers: body("Funders of the same recipients.", {
    data: exactly("A funder and its peers.", {
      funder_ein: funderEin,
      peers: peersOf(
        exactly("A funder that shares recipients.", {
          funder_ein: funderEin,
          shared_recipients: counted(
            `Recipients of both, by EIN; those with more than ${maxLinks} funders are not counted.`,
          ),
          recipients: counted("Number of this funder's recipients with an EIN."),
          score,
        }),
      ),
    }),
  }),
  RecipientPeers: body("Other recipients of the same funders.", {
    data: exactly("A recipient and its peers.", {
      recipient_ein: recipientEin,
      peers: peersOf(
        exactly("A recipient that shares funders.", {
          recipient_ein: recipientEin,
          recipient_name: recipientName,
          shared_funders: counted(
            `Funders of both; those with more than ${maxLinks} recipients are not counted.`,
          ),
          funders: counted("Number of this recipient's funders."),
          score,
        }),
      ),
    }),
  }),
};
