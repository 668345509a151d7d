// Shows the ten recipients that got most of a funder's dollars.
import { hyphenateEin } from "../../../api-static/contract/ein.ts";
import { formatQuery, searchable } from "../address/query.ts";
import type { FunderSummary } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { RankTable } from "../parts/rankTable.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatCount, formatYears } from "../text/numbers.ts";

type Top = FunderSummary["top_recipients"][number];

/** The table of ranks; each name leads to the grants between the two. */
export function TopRecipients({ summary }: { summary: FunderSummary }) {
  const { top_recipients: rows, recipients, first_year, last_year, funder_ein } = summary;
  if (rows.length === 0) return null;
  const largest = Math.max(...rows.map(({ amount }) => amount));
  const ten = recipients > rows.length ? `${rows.length} of ${formatCount(recipients)}, by` : "By";
  return (
    <Section
      title="Top recipients"
      note={`${ten} dollars, ${formatYears(first_year, last_year)}. Choose one to see the grants between the two.`}
    >
      <RankTable
        caption="Top recipients"
        heads={["Recipient", "Amount", "Grants"]}
        ranks={rows.map((row) => ({
          key: `${row.recipient_ein} ${row.recipient_name}`,
          name: (
            <a href={betweenHref(funder_ein, row)}>
              {row.recipient_name === null ? nameless(row) : <FiledText text={row.recipient_name} />}
            </a>
          ),
          share: largest > 0 ? row.amount / largest : 0,
          value: formatAmount(row.amount),
          count: formatCount(row.records),
        }))}
      />
    </Section>
  );
}

function nameless({ recipient_ein }: Top): string {
  return recipient_ein === null ? "No recipient filed" : `EIN ${hyphenateEin(recipient_ein)}`;
}

type Recipient = { readonly recipient_ein: string | null; readonly recipient_name: string | null };

/** The address of the grants between the two; by name if the recipient has no EIN. */
export function betweenHref(funder_ein: string, { recipient_ein, recipient_name }: Recipient): string {
  const name = recipient_name === null ? undefined : searchable(recipient_name);
  return `/${formatQuery({ funder_ein, ...(recipient_ein === null ? { recipient_name: name } : { recipient_ein }) })}`;
}
