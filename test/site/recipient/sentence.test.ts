// Tests the sentences on a recipient's page.

import { describe, expect, it } from "vitest";
import type { RecipientSummary } from "../../../site/src/api/client.ts";
import { recipientSentence, recipientTitle } from "../../../site/src/recipient/sentence.ts";
import { newestOf } from "../../../site/src/text/numbers.ts";
import { formatPieces } from "../organization/pieces.fixture.ts";

const summary = {
  records: 40,
  amount: 2_621_063,
  funders: 5,
  first_year: 2010,
  last_year: 2018,
  top_funders: [{ amount: 2_401_886 }, { amount: 163_177 }],
} as RecipientSummary;

const textOf = (changes: Partial<RecipientSummary>) =>
  formatPieces(recipientSentence({ ...summary, ...changes }));

describe("a recipient's sentence", () => {
  it("has the total, the number of funders, and whether one gave most", () => {
    expect(textOf({})).toBe(
      "Received $2.6 million in 40 grants from 5 funders, 2010 to 2018. One funder gave 92% of it.",
    );
    expect(recipientTitle("USC", summary)).toBe("USC: 40 grants received, $2.6 million – Grant History");
  });

  it("omits the share of a single funder, a smaller share, and one with larger corrections", () => {
    expect(textOf({ funders: 1 })).toBe("Received $2.6 million in 40 grants from one funder, 2010 to 2018.");
    expect(textOf({ amount: 2_401_887 })).toMatch(/One funder gave nearly all of it\.$/);
    expect(textOf({ amount: 24_000_000 })).not.toMatch(/One funder/);
    expect(textOf({ amount: 1_000_000 })).not.toMatch(/One funder/);
    expect(textOf({ amount: -1 })).toMatch(/^Received −\$1 net of corrections/);
  });

  it("mentions that a part covers only the newest grants", () => {
    expect(newestOf(1_000, 41_204)).toBe("Of the newest 1,000 of 41,204 grants. ");
    expect(newestOf(40, 40)).toBe("");
  });
});
