// Defines how peers are chosen: funders of the same recipients, and recipients of the same funders.

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
