// Shows the ten recipients that got most of a funder's dollars.
import type { FunderSummary } from "../api/client.ts";
import { Bar } from "../charts/bar.tsx";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmount, formatCount, formatEinText, formatYears } from "../text/numbers.ts";
import { betweenHref } from "./between.ts";

type Top = FunderSummary["top_recipients"][number];

/** A table of ranks; each name leads to the grants between the two. */
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
      <table class="table ranks" role="table">
        <caption class="hidden">Top recipients</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th scope="col" role="columnheader">
              Recipient
            </th>
            <td class="rank-bar" role="cell" />
            <th scope="col" role="columnheader" class="is-number">
              Amount
            </th>
            <th scope="col" role="columnheader" class="is-number rank-count">
              Grants
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={`${row.recipient_ein}${row.recipient_name}`} role="row">
              <th scope="row" role="rowheader">
                <a href={betweenHref(funder_ein, row)}>
                  {row.recipient_name === null ? nameless(row) : <FiledText text={row.recipient_name} />}
                </a>
              </th>
              <td class="rank-bar" role="cell">
                <Bar share={row.amount / largest} />
              </td>
              <td class="is-number" role="cell">
                {formatAmount(row.amount)}
              </td>
              <td class="is-number rank-count" role="cell">
                {formatCount(row.records)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function nameless({ recipient_ein }: Top): string {
  return recipient_ein === null ? "No recipient filed" : `EIN ${formatEinText(recipient_ein)}`;
}
