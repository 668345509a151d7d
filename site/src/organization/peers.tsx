// Shows the organizations that share most of an organization's recipients, or of its funders.
import type { FunderPeers, RecipientPeers } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { FunderName, OrganizationName } from "../parts/organizationName.tsx";
import { RankTable } from "../parts/rankTable.tsx";
import { Section } from "../parts/section.tsx";
import { formatCount } from "../text/numbers.ts";
import { peersCall, type Side } from "./side.ts";

const texts = {
  funder: {
    title: "Funders of the same recipients",
    heads: ["Funder", "Shared recipients", "In all"],
    note: "Most similar first: recipients that few fund count more. ",
    none: "No other funder shares two recipients with it. Only grants with a recipient’s EIN count.",
  },
  recipient: {
    title: "Also funded by them",
    heads: ["Recipient", "Shared funders", "In all"],
    note: "Most similar first: funders of few recipients count more. ",
    none: "No other recipient shares two funders with it. Funders of more than 100 recipients don’t count.",
  },
} as const;

type Properties = { readonly side: Side; readonly ein: string };

/** The ranks, or a note that there are none; nothing until they are found. */
export function Peers({ side, ein }: Properties) {
  const { title, heads, note, none } = texts[side];
  const { found } = useCall<{ data: FunderPeers | RecipientPeers }>(peersCall({ side, ein }));
  const peers = found?.body.data.peers.map(readPeer) ?? [];
  const names = useNames(side === "funder" ? peers.map((peer) => peer.ein) : []);
  if (found === undefined) return null;
  const most = Math.max(...peers.map(({ shared }) => shared));
  const isNone = peers.length === 0;
  const measure = (
    <>
      {note}Only grants with a recipient’s EIN count. <a href="/docs#peers">How it is measured</a>
    </>
  );
  return (
    <Section title={title} note={isNone ? none : measure}>
      {isNone ? null : (
        <RankTable
          caption={title}
          heads={heads}
          ranks={peers.map((peer) => ({
            key: peer.ein,
            name:
              side === "funder" ? (
                <FunderName ein={peer.ein} names={names} />
              ) : (
                <div class="two-lines">
                  <OrganizationName page="recipient" {...peer} />
                </div>
              ),
            share: peer.shared / most,
            value: <Shared side={side} ein={ein} peer={peer} />,
            count: formatCount(peer.all),
          }))}
        />
      )}
    </Section>
  );
}

type Peer = {
  readonly ein: string;
  /** A recipient's, as most of its grants have it. */
  readonly name: string | undefined;
  /** Recipients or funders that both have. */
  readonly shared: number;
  /** Recipients or funders of the peer. */
  readonly all: number;
};

function readPeer(peer: FunderPeers["peers"][number] | RecipientPeers["peers"][number]): Peer {
  if ("funder_ein" in peer)
    return { ein: peer.funder_ein, name: undefined, shared: peer.shared_recipients, all: peer.recipients };
  return {
    ein: peer.recipient_ein,
    name: peer.recipient_name ?? undefined,
    shared: peer.shared_funders,
    all: peer.funders,
  };
}

/** The number of shared organizations; between two funders it leads to their comparison. */
function Shared({ side, ein, peer }: Properties & { peer: Peer }) {
  const count = (
    <>
      {formatCount(peer.shared)}
      <span class="rank-unit"> shared</span>
    </>
  );
  if (side === "recipient") return count;
  return (
    <a href={`/compare?ein=${ein}&ein=${peer.ein}`}>
      {count}
      <span class="hidden">, compare the two</span>
    </a>
  );
}
