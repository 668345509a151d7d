// Shows the funders that share most of a funder's recipients.
import { funderPeersCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { measure, PeersSection } from "../organization/peersSection.tsx";
import { FunderName } from "../parts/funderName.tsx";
import { formatCount } from "../text/numbers.ts";

/** The ranks; each name leads to the funder, each number to a comparison of the two. */
export function FunderPeers({ ein }: { ein: string }) {
  const peers = useCall(funderPeersCall(ein));
  const list = peers.found?.body.data.peers ?? [];
  const names = useNames(list.map(({ funder_ein }) => funder_ein));
  const most = Math.max(...list.map((peer) => peer.shared_recipients));
  return (
    <PeersSection
      title="Funders of the same recipients"
      heads={["Funder", "Shared recipients", "In all"]}
      note={<>Most similar first: recipients that few fund count more. {measure}</>}
      none="No other funder shares two recipients with it. Only grants with a recipient’s EIN count."
      peers={peers}
      ranks={list.map(({ funder_ein, shared_recipients, recipients }) => ({
        key: funder_ein,
        name: <FunderName ein={funder_ein} names={names} />,
        share: shared_recipients / most,
        value: (
          <a href={`/compare?ein=${ein}&ein=${funder_ein}`}>
            {formatCount(shared_recipients)}
            <span class="rank-unit"> shared</span>
            <span class="hidden">, compare the two</span>
          </a>
        ),
        count: formatCount(recipients),
      }))}
    />
  );
}
