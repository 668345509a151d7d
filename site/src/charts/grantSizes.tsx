// Shows how many of a funder's grants fall into each size band.
import type { FunderSummary } from "../api/client.ts";
import { DataTable } from "../parts/dataTable.tsx";
import { Section } from "../parts/section.tsx";
import { formatAmountShort, formatCount } from "../text/numbers.ts";
import { shownBands } from "../text/sizes.ts";
import { Bar } from "./bar.tsx";

/** The table of bands, smallest first. */
export function GrantSizes({ sizes }: { sizes: FunderSummary["sizes"] }) {
  const bands = shownBands(sizes);
  const most = Math.max(1, ...bands.map(({ records }) => records));
  return (
    <Section title="Grant sizes" note="How many grants of each size">
      <DataTable
        name="sizes"
        caption="Grant sizes"
        rows={bands}
        keyOf={({ text }) => text}
        columns={[
          { head: "Size", cell: ({ text }) => text },
          { name: "size-bar", cell: ({ records }) => <Bar share={records / most} /> },
          { head: "Grants", name: "is-number", cell: ({ records }) => formatCount(records) },
          { head: "Total", name: "is-number size-total", cell: ({ amount }) => formatAmountShort(amount) },
        ]}
      />
    </Section>
  );
}
