// Tells why a funder cannot be compared.

import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { formatEinText } from "../text/numbers.ts";
import type { Slot } from "./useCompared.ts";

/** The notice of a slot that failed: an EIN without grants made, or any other failure. */
export function SlotFailure({ slot, onRemove }: { slot: Slot; onRemove: () => void }) {
  const { ein, failure, retry } = slot;
  if (failure === undefined) return null;
  if (failure.code !== "funder_not_found")
    return (
      <FailureNotice
        progress={{
          failure,
          found: undefined,
          state: "failed",
          retryIn: undefined,
          retry,
          stop: () => undefined,
        }}
      />
    );
  return (
    <Notice title={`No grants made by EIN ${formatEinText(ein)}`}>
      <p>
        It may appear as a recipient: <a href={`/recipient?ein=${ein}`}>grants received</a>.
      </p>
      <button type="button" class="button" onClick={onRemove}>
        Remove it
      </button>
    </Notice>
  );
}
