// Defines how peers are chosen, and the schemas of their answers: funders of the same recipients, and recipients of the same funders.
import { fieldSchemas, recipientEin, recipientName } from "./record.ts";
import { body, counted, exactly, type Schema } from "./schema.ts";

/** The order of peers: most similar first. No two peers tie. */
export const peerOrderSql = "score DESC, shared DESC, peer_ein";

/** Peers of one funder or recipient. */
export const maxPeers = 10;

/** Fewest shared counterparts of peers: one alone is often a coincidence. */
export const minShared = 2;

/**
 * Counterparts with more links are ignored. Each would add less than 1/100 of what a counterpart with one link adds, but need
 * most of the work: pairs grow with the square of the links.
 */
export const maxLinks = 100;

/**
 * The weight of a counterpart with one link. Weights are integers, so that sums do not depend on the order of their terms.
 * At most nine million recipients of one funder add up to an integer that a double holds exactly.
 */
export const weightUnit = 1_000_000_000;

/** Scores are integers too: 1,000,000 if both have the same counterparts. */
export const scoreUnit = 1_000_000;

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
