// Checks which summaries and peers take a place in the queue.
import { expect, vi } from "vitest";
import { type Ein, formatEin } from "../../../../api-static/contract/ein.ts";
import type { AdmitSearch } from "../../../../api-static/search/answer.ts";
import type { Release } from "../../../../api-static/search/release.ts";

type Unknown = { readonly of: "funder" | "recipient"; readonly ein: Ein };

/** Expects that an unknown funder is found to be unknown without a search, and an unknown recipient by one. */
export async function expectNoSearchForFunder(
  release: Release,
  answer: (unknown: Unknown, admit: AdmitSearch) => Promise<unknown>,
): Promise<void> {
  const admit = vi.fn();
  const ein = formatEin(555_555_555);
  const turn = vi.spyOn(release.search, "query");
  try {
    expect(await answer({ of: "funder", ein }, admit)).toBeUndefined();
    expect([turn, admit].map(({ mock }) => mock.calls.length)).toStrictEqual([0, 0]);
    expect(await answer({ of: "recipient", ein }, admit)).toBeUndefined();
    expect([turn, admit].map(({ mock }) => mock.calls.length)).toStrictEqual([1, 1]);
  } finally {
    turn.mockRestore();
  }
}
