// Tests when states are offered as filters.
import { describe, expect, it } from "vitest";
import type { Status } from "../../../site/src/api/client.ts";
import { knows } from "../../../site/src/api/places.ts";

const status = (source: "organizations" | null) =>
  ({
    places: { funder_state: { source, unknown: 0 }, recipient_state: { source: "warehouse", unknown: 0 } },
  }) as unknown as Status;

describe("a filter by state", () => {
  it("is offered where the release knows states, and while that is not known", () => {
    expect(knows(undefined, "funder_state")).toBe(true);
    expect(knows(status("organizations"), "funder_state")).toBe(true);
    expect(knows(status(null), "funder_state")).toBe(false);
    expect(knows(status(null), "recipient_state")).toBe(true);
  });
});
