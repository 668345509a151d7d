// Shows why funders cannot be compared.
import type { Progress } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { formatEinText } from "../text/numbers.ts";
import type { Slot } from "./useCompared.ts";

type Properties = {
  readonly slots: readonly Slot[];
  readonly shared: Progress<unknown>;
  readonly onRemove: (ein: string) => void;
};

/** A notice for each EIN without grants made, and one for all calls that failed alike. */
export function SlotFailures({ slots, shared, onRemove }: Properties) {
  const missing = slots.filter(({ failure }) => failure?.code === "funder_not_found");
  const others = Map.groupBy(
    [...slots.filter((slot) => !missing.includes(slot)), shared].filter(
      ({ failure }) => failure !== undefined,
    ),
    ({ failure }) => failure?.code,
  );
  return (
    <>
      {missing.map(({ ein }) => (
        <Notice key={ein} title={`No grants made by EIN ${formatEinText(ein)}`}>
          <p>
            It may appear as a recipient: <a href={`/recipient?ein=${ein}`}>grants received</a>.
          </p>
          <button type="button" class="button" onClick={() => onRemove(ein)}>
            Remove it
          </button>
        </Notice>
      ))}
      {[...others].map(([code, alike]) => (
        <FailureNotice
          key={code}
          progress={{
            failure: alike[0]?.failure,
            found: undefined,
            state: "failed",
            retryIn: undefined,
            retry: () => {
              for (const { retry } of alike) retry();
            },
            stop: () => undefined,
          }}
        />
      ))}
    </>
  );
}
