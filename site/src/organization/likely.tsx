// Shows how many grants are likely a recipient's, and the switch that shows them beside those that were filed.

import type { RecipientSummary } from "../api/client.ts";
import { Legend } from "../charts/hatch.tsx";
import { Switch } from "../parts/switch.tsx";
import { formatCounted } from "../text/numbers.ts";
import { organizationHref, type Selection, showsLikely } from "./side.ts";

const [asFiled, withLikely] = ["As filed", "With likely matches"] as const;

type Properties = {
  readonly read: Selection;
  readonly summary: RecipientSummary;
  /** Goes to a query of the page. */
  readonly go: (search: string) => void;
};

/** The line and the switch; nothing if no grant is likely the recipient's. */
export function LikelySwitch({ read, summary: { records: filed, matched }, go }: Properties) {
  const { side, ein, filters } = read;
  const isShown = showsLikely(filters);
  const { records } = matched;
  if (records === 0) return null;
  const searchOf = (isWanted: boolean) =>
    new URL(organizationHref(side, ein, isWanted ? { matched: "include" } : {}), location.href).search;
  return (
    <section class={`likely-switch${isShown ? " is-shown" : ""}`} aria-label="Likely grants">
      <p>
        {isShown ? (
          <>
            <Legend />
            <span>
              No EIN was filed with the likely ones: rules find whom they name.{" "}
              <a href="/status">How right they are</a>
            </span>
          </>
        ) : (
          `${formatCounted(records, "grant")} without an EIN ${records === 1 ? "is" : "are"} likely this recipient’s${filed === 0 ? "" : ", too"}.`
        )}
      </p>
      <Switch
        legend="Grants to show"
        name="matched"
        choices={[asFiled, withLikely]}
        chosen={isShown ? withLikely : asFiled}
        onChoose={(choice) => go(searchOf(choice === withLikely))}
      />
    </section>
  );
}
