// Starts the page of a recipient: the totals of the grants that it received, as filed or with likely ones.
import { formatQuery } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { RecipientSummary } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { YearsSection } from "../charts/yearsSection.tsx";
import { PublishBar } from "../publish/publishBar.tsx";
import { FunderGrid } from "./funderGrid.tsx";
import { LikelySwitch } from "./likely.tsx";
import { LikelyMark } from "./likelyMark.tsx";
import { startOrganization } from "./page.tsx";
import { recipientSentence, titleWithLikely } from "./recipientSentences.ts";
import { showsLikely } from "./side.ts";
import { Lede, Tabs, type TotalsProperties } from "./totals.tsx";
import { WrittenWays } from "./writtenWays.tsx";

/** The totals of the grants received. Nothing likely is drawn before the page has likely grants. */
function Received({ read, name, summary, release, newest = [], go }: TotalsProperties<RecipientSummary>) {
  const { ein, filters } = read;
  const { records, matched } = summary;
  const made = useCall(searchCall({ funder_ein: ein, limit: "1" })).found?.body.total;
  const hasLikely = showsLikely(filters);
  const total = records + (hasLikely ? matched.records : 0);
  const years = hasLikely ? [...summary.years, ...matched.years] : summary.years;
  return (
    <>
      <Lede pieces={recipientSentence(summary, hasLikely)} />
      {records === 0 ? null : (
        <PublishBar
          query={{ recipient_ein: ein }}
          totals={summary}
          release={release}
          known={{ recipient: name }}
        />
      )}
      <Tabs ein={ein} shown="recipient" made={made} received={records} />
      <LikelySwitch read={read} summary={summary} go={go} />
      {years.length === 0 ? null : (
        <div class="columns">
          <YearsSection
            years={summary.years}
            likely={hasLikely ? matched.years : []}
            way="received"
            hrefOf={(year) => `/${formatQuery({ recipient_ein: ein, transaction_year: year })}`}
            chosen={undefined}
          />
          <WrittenWays ein={ein} grants={newest} total={total} />
        </div>
      )}
      <FunderGrid ein={ein} grants={newest} total={total} />
    </>
  );
}

startOrganization({
  side: "recipient",
  SideTotals: Received,
  likely: {
    markOf: (match) => <LikelyMark match={match} />,
    titleOf: titleWithLikely,
    csvNote: "matched_ein and match_rule tell the likely grants.",
  },
});
