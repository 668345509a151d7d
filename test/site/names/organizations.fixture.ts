// Makes organizations as the API finds them by name.
import type { FoundOrganization } from "../../../site/src/api/client.ts";

const none = { records: 0, amount: 0 };

/** A funder of Pasadena, changed. */
export function organization(changed: Partial<FoundOrganization> = {}): FoundOrganization {
  return {
    ein: "200253310",
    name: "Pasadena Community Foundation",
    city: "Pasadena",
    state: "CA",
    given: { records: 1723, amount: 31_100_000 },
    received: none,
    match: "words",
    ...changed,
  };
}

/** Only received grants. */
export const flintridge = organization({
  ein: "951642394",
  name: "Flintridge Preparatory School",
  given: none,
  received: { records: 24, amount: 103_000 },
});

/** Is on the list, but has no grants. */
export const withoutGrants = organization({ ein: "131635294", name: "Quiet Fund", given: none });
