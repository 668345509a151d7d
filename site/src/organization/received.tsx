// Starts the page of a recipient: the totals of the grants that it received.
import { formatQuery } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { RecipientSummary } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { FunderGrid } from "./funderGrid.tsx";
import { startOrganization } from "./page.tsx";
import { Peers } from "./peers.tsx";
import { recipientSentence } from "./sentences.ts";
import { Lede, Tabs, type TotalsProperties } from "./totals.tsx";
import { Uncounted } from "./uncounted.tsx";
import { WrittenWays } from "./writtenWays.tsx";
import { YearsSection } from "./years.tsx";

/** The totals of the grants received. */
function Received({ read: { ein }, summary, newest, name }: TotalsProperties<RecipientSummary>) {
  const { records } = summary;
  const made = useCall(searchCall({ funder_ein: ein, limit: "1" })).found?.body.total;
  return (
    <>
      <Lede pieces={recipientSentence(summary)} />
      <Tabs ein={ein} shown="recipient" made={made} received={records} />
      <div class="columns">
        <YearsSection
          years={summary.years}
          way="received"
          hrefOf={(year) => `/${formatQuery({ recipient_ein: ein, transaction_year: year })}`}
          chosen={undefined}
        />
        {newest === undefined ? null : <WrittenWays grants={newest} total={records} />}
      </div>
      <Uncounted ein={ein} name={name} grants={newest} />
      {newest === undefined ? null : <FunderGrid ein={ein} grants={newest} total={records} />}
      <Peers side="recipient" ein={ein} />
    </>
  );
}

startOrganization({ side: "recipient", SideTotals: Received });
