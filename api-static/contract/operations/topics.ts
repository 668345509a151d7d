// Defines the operations on one funder, recipient or grant, on funders that are compared, and on those that may give for the first time.

import type { Ein } from "../ein.ts";
import { likelyFundersDefault, pageSizeDefault } from "../limits.ts";
import { parseCents } from "../text/amount.ts";
import { parseCause } from "../text/causes.ts";
import { parseState } from "../text/states.ts";
import { type Draft, type Parameter, readAs, readBy, readInteger } from "../values.ts";
import { found, type Operation, searchErrors } from "./operation.ts";

/** Totals for a funder or a recipient, or its peers. */
export type TopicRequest = {
  readonly kind: "summary" | "peers";
  readonly of: "funder" | "recipient";
  readonly ein: Ein;
};

/** Recipients that at least two of the funders fund, in all years or in one. */
export type SharedRequest = {
  readonly kind: "shared";
  /** One to four different ones. */
  readonly funders: readonly Ein[];
  /** First and last year; undefined if it is not bounded. */
  readonly minYear: number | undefined;
  readonly maxYear: number | undefined;
  readonly limit: number;
  readonly offset: number;
};

/** One grant, by its id: a signed 64-bit integer in decimal. */
export type GrantRequest = { readonly kind: "grant"; readonly id: string };

function topic<const Kind extends TopicRequest["kind"], const Schema extends string>(
  kind: Kind,
  of: TopicRequest["of"],
  schema: Schema,
) {
  return {
    answer: { about: `The ${kind}.`, schema, headers: found },
    errors: searchErrors,
    toRequest: (draft: Draft): (TopicRequest & { readonly kind: Kind }) | undefined => {
      const ein = draft[`${of}Ein`];
      return ein && { kind, of, ein };
    },
  };
}

export const topicOperations = [
  {
    id: "summarizeFunder",
    summary: "Totals for a funder",
    path: "/v1/funders/{funder_ein}/summary",
    ...topic("summary", "funder", "FunderSummary"),
  },
  {
    id: "summarizeRecipient",
    summary: "Totals for a recipient",
    path: "/v1/recipients/{recipient_ein}/summary",
    ...topic("summary", "recipient", "RecipientSummary"),
  },
  {
    id: "listFunderPeers",
    summary: "Funders of the same recipients",
    path: "/v1/funders/{funder_ein}/peers",
    ...topic("peers", "funder", "FunderPeers"),
  },
  {
    id: "listRecipientPeers",
    summary: "Other recipients of the same funders",
    path: "/v1/recipients/{recipient_ein}/peers",
    ...topic("peers", "recipient", "RecipientPeers"),
  },
  {
    id: "listSharedRecipients",
    summary: "Recipients that several funders share",
    path: "/v1/recipients/shared",
    parameters: ["funders", "transaction_year", "min_year", "max_year", "limit", "offset"],
    required: { name: "funders", rule: "the EINs of the funders, separated by commas" },
    answer: { about: "The shared recipients.", schema: "SharedRecipients", headers: found },
    errors: searchErrors,
    toRequest: (draft: Draft): SharedRequest => {
      const { funders = [], transactionYear: year, limit = pageSizeDefault, offset = 0 } = draft;
      const { minYear = year, maxYear = year } = draft;
      return { kind: "shared", funders, minYear, maxYear, limit, offset };
    },
  },
  {
    id: "readGrant",
    summary: "One grant, and the return that it is from",
    path: "/v1/grants/{id}",
    answer: { about: "The grant.", schema: "GrantWithSource", headers: found },
    errors: searchErrors,
    toRequest: ({ id }: Draft): GrantRequest | undefined =>
      id === undefined ? undefined : { kind: "grant", id },
  },
] as const satisfies readonly Operation[];

const limitBounds = { minimum: 1, maximum: 50 };

/** Funders that may give to a recipient for the first time. */
export type LikelyFundersRequest = {
  readonly kind: "likelyFunders";
  readonly ein: Ein;
  /** Only funders that gave there; else the state and the cause of the recipient count. */
  readonly state: string | undefined;
  readonly cause: string | undefined;
  /** Only funders whose usual first grant is not larger. */
  readonly maxTypicalCents: bigint | undefined;
  /** Only funders whose newest returns state this. */
  readonly accepts: string | undefined;
  readonly limit: number;
};

const parameters: Readonly<Record<string, Parameter>> = {
  state: {
    description: "Only funders that gave to recipients in this state, ranked as if the recipient were there.",
    schema: { type: "string", pattern: "^[A-Za-z]{2}$", examples: ["OH"] },
    read: readBy(parseState, "state", "state"),
  },
  cause: {
    description:
      "Only funders that gave to this cause, ranked as if it were the recipient's: an NTEE code, of which two characters count.",
    schema: { type: "string", pattern: "^[A-Za-z](\\d[A-Za-z\\d]?)?$", examples: ["A6"] },
    read: readBy(parseCause, "cause", "cause"),
  },
  max_typical: {
    description: "Only funders whose median first grant to a recipient is at most this amount.",
    schema: { type: "number", examples: [25_000] },
    read: readAs(
      "maxTypicalCents",
      "max_typical must be a decimal number with at most two decimals",
      parseCents,
    ),
  },
  limit: {
    description: "Maximum number of funders.",
    schema: { type: "integer", ...limitBounds, default: likelyFundersDefault },
    read: readInteger("limit", limitBounds),
  },
};

/** The operation that lists likely funders. */
export const likelyFundersOperation = {
  id: "listLikelyFunders",
  summary: "Funders that may give to an organization for the first time",
  path: "/v1/recipients/{recipient_ein}/likely-funders",
  parameters: ["state", "cause", "accepts", "max_typical", "limit"],
  own: parameters,
  answer: { about: "The funders.", schema: "LikelyFunders", headers: found },
  errors: [...searchErrors, "not_served"],
  toRequest: ({
    recipientEin: ein,
    limit = likelyFundersDefault,
    ...draft
  }: Draft): LikelyFundersRequest | undefined => {
    const { state, cause, accepts, maxTypicalCents } = draft;
    return ein && { kind: "likelyFunders", ein, state, cause, accepts, maxTypicalCents, limit };
  },
} as const satisfies Operation;
