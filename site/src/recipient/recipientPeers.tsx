// Shows the other recipients that share most of a recipient's funders.
import { pageHref, recipientPeersCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { measure, PeersSection } from "../organization/peersSection.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { formatCount, formatEinText } from "../text/numbers.ts";

/** The ranks; each name leads to the recipient. */
export function RecipientPeers({ ein }: { ein: string }) {
  const peers = useCall(recipientPeersCall(ein));
  const list = peers.found?.body.data.peers ?? [];
  const most = Math.max(...list.map((peer) => peer.shared_funders));
  return (
    <PeersSection
      title="Also funded by them"
      heads={["Recipient", "Shared funders", "In all"]}
      note={<>Most similar first: funders of few recipients count more. {measure}</>}
      none="No other recipient shares two funders with it. Funders of more than 100 recipients don’t count."
      peers={peers}
      ranks={list.map(({ recipient_ein, recipient_name, shared_funders, funders }) => ({
        key: recipient_ein,
        name: (
          <>
            <a href={pageHref("recipient", { ein: recipient_ein })}>
              {recipient_name === null ? (
                `EIN ${formatEinText(recipient_ein)}`
              ) : (
                <FiledText text={recipient_name} />
              )}
            </a>
            {recipient_name === null ? null : <small>EIN {formatEinText(recipient_ein)}</small>}
          </>
        ),
        share: shared_funders / most,
        value: (
          <>
            {formatCount(shared_funders)}
            <span class="rank-unit"> shared</span>
          </>
        ),
        count: formatCount(funders),
      }))}
    />
  );
}
