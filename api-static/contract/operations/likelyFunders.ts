// Defines the operation that lists funders that may give to an organization for the first time.
import { parseCents } from "../amount.ts";
import { parseCause } from "../causes.ts";
import type { Ein } from "../ein.ts";
import { likelyFundersDefault } from "../limits.ts";
import { parseState } from "../states.ts";
import { type Draft, type Parameter, readAs, readBy, readInteger } from "../values.ts";
import { found, type Operation, searchErrors } from "./operation.ts";

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
