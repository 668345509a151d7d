// Tests which filters by attributes are offered.
import { describe, expect, it } from "vitest";
import type { Status } from "../../../site/src/api/client.ts";
import { knows } from "../../../site/src/api/places.ts";

const status = {
  records: 5,
  places: {
    funder_state: { source: null, unknown: 5 },
    recipient_state: { source: "warehouse", unknown: 4 },
    recipient_city: { unknown: 5 },
    recipient_zip: { unknown: 0 },
  },
  causes: { funder_cause: { unknown: 5 }, recipient_cause: { unknown: { records: 1 } } },
} as unknown as Status;

describe("a filter by an attribute", () => {
  it("is offered where a grant has a known value, and while that is not known", () => {
    expect(knows(undefined, "funder_state")).toBe(true);
    const names = ["type", "funder_state", "recipient_state", "recipient_city", "recipient_zip"];
    const offered = [...names, "funder_cause", "recipient_cause"].filter((name) => knows(status, name));
    expect(offered).toEqual(["type", "recipient_state", "recipient_zip", "recipient_cause"]);
  });
});
