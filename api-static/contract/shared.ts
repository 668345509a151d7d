// Defines the operation that compares funders by the recipients that they share.
import type { Ein } from "./ein.ts";
import { pageSizeDefault } from "./limits.ts";
import { routes } from "./routes.ts";
import type { Draft } from "./values.ts";

/** Recipients that at least two of the funders fund, in all years or in one. */
export type SharedRequest = {
  readonly kind: "shared";
  /** One to four different ones. */
  readonly funders: readonly Ein[];
  readonly year: number | undefined;
  readonly limit: number;
  readonly offset: number;
};

export const listSharedRecipients = {
  id: "listSharedRecipients",
  summary: "Recipients that several funders share",
  path: routes.sharedRecipients,
  parameters: ["funders", "transaction_year", "limit", "offset"],
  toRequest: ({ funders, transactionYear: year, limit = pageSizeDefault, offset = 0 }: Draft) => {
    if (funders !== undefined) return { kind: "shared" as const, funders, year, limit, offset };
    const message = "funders must be given: the EINs of the funders, separated by commas";
    const problem = { parameter: "funders", code: "blank" as const, message };
    return { kind: "refused" as const, problems: [problem] };
  },
} as const;
