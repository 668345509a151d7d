// Defines the operations on one funder, recipient or grant, and on funders that are compared.
import type { Ein } from "../ein.ts";
import { pageSizeDefault } from "../limits.ts";
import type { Draft } from "../values.ts";
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
