// Shows how many of a funder's grants fall into each size band.
import type { FunderSummary } from "../api/client.ts";
import { Bar } from "../charts/bar.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmountShort, formatCount } from "../text/numbers.ts";
import { shownBands } from "./sizes.ts";

/** The table of bands, smallest first. */
export function GrantSizes({ sizes }: { sizes: FunderSummary["sizes"] }) {
  const bands = shownBands(sizes);
  const most = Math.max(1, ...bands.map(({ records }) => records));
  return (
    <Section title="Grant sizes" note="How many grants of each size">
      <table class="table sizes">
        <caption class="hidden">Grant sizes</caption>
        <thead>
          <tr>
            <th scope="col">Size</th>
            <td class="size-bar" />
            <th scope="col" class="is-number">
              Grants
            </th>
            <th scope="col" class="is-number size-total">
              Total
            </th>
          </tr>
        </thead>
        <tbody>
          {bands.map(({ text, records, amount }) => (
            <tr key={text}>
              <th scope="row">{text}</th>
              <td class="size-bar">
                <Bar share={records / most} />
              </td>
              <td class="is-number">{formatCount(records)}</td>
              <td class="is-number size-total">{formatAmountShort(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
