// Finds EINs and words in a release for the states of the site.
import type { Served } from "../api-static/server/release.fixture.ts";
import type { Known } from "./states.ts";

type Summary = {
  data: { top_recipients: { recipient_ein: string | null }[]; years: { transaction_year: number }[] };
};

/** What the release holds of its largest funder, its recipients and its words. */
export async function knownOf({ ask, facts }: Served): Promise<Known> {
  const summary = (await (await ask(`/v1/funders/${facts.big.ein}/summary`)).json()) as Summary;
  const recipients = summary.data.top_recipients.flatMap(({ recipient_ein: ein }) =>
    ein === null ? [] : [ein],
  );
  const isFunder = async (ein: string) => (await ask(`/v1/funders/${ein}/summary`)).status === 200;
  let onlyRecipient: string | undefined;
  for (const ein of recipients) if (!(await isFunder(ein))) onlyRecipient ??= ein;
  const [recipient] = recipients;
  if (recipient === undefined || onlyRecipient === undefined)
    throw new Error(`funder ${facts.big.ein} has no recipients with an EIN`);
  return {
    funder: facts.big.ein,
    otherFunder: facts.middle.ein,
    recipient,
    onlyRecipient,
    word: facts.purposeWord,
    emptyYear: 1990,
  };
}
