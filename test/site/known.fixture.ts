// Finds EINs and words in a release for the states of the site.
import type { Served } from "../api-static/server/release.fixture.ts";
import type { Known } from "./states.ts";

type Recipient = { recipient_ein: string | null; recipient_name: string | null };
type Page = { data: Recipient[] };

/** How many of the funder's grants are read to find recipients. */
const grantsRead = 1_000;

/** Facts about the release: its largest funder, its recipients and its words. */
export async function knownOf({ ask, facts, release }: Served): Promise<Known> {
  const funder = facts.big.ein;
  const read = async <Body>(path: string) => (await (await ask(path)).json()) as Body;
  const { data: summary } = await read<{ data: { top_recipients: Recipient[] } }>(
    `/v1/funders/${funder}/summary`,
  );
  const top = summary.top_recipients.filter(({ recipient_ein: ein }) => ein !== null);
  const { data: grants } = await read<Page>(`/v1/funders/${funder}/history?limit=${grantsRead}`);
  const isFunder = async (ein: string) => (await ask(`/v1/funders/${ein}/summary`)).status === 200;
  const { data: alike } = await read<{ data: { peers: { funder_ein: string }[] } }>(
    `/v1/funders/${funder}/peers`,
  );
  const others = [...alike.peers.map((peer) => peer.funder_ein), facts.middle.ein, facts.small.ein];
  const [largest] = top;
  const onlyRecipient = await findRecipient(grants, async (ein) => !(await isFunder(ein)));
  if (!largest?.recipient_ein || onlyRecipient === undefined)
    throw new Error(`funder ${funder} has no recipients with an EIN`);
  return {
    funder,
    funders: [...new Set([funder, ...others])].slice(0, 4),
    recipient: largest.recipient_ein,
    onlyRecipient,
    word: facts.purposeWord,
    release: release.facts.release,
    emptyYear: 1990,
  };
}

/** The first recipient that passes a test; those without an EIN or a name never do. */
async function findRecipient(
  recipients: readonly Recipient[],
  passes: (ein: string) => Promise<boolean>,
): Promise<string | undefined> {
  const tried = new Set<string>();
  for (const { recipient_ein: ein, recipient_name: name } of recipients) {
    if (ein === null || name === null || tried.has(ein)) continue;
    tried.add(ein);
    if (await passes(ein)) return ein;
  }
  return undefined;
}
