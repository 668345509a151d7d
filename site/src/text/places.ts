// Writes places.
import { nameState } from "../../../api-static/contract/text/states.ts";

/** e.g., "Pasadena, CA"; undefined if neither is known. */
export function formatPlace(place: {
  readonly city: string | null;
  readonly state: string | null;
}): string | undefined {
  return [place.city, place.state].filter((part) => part !== null).join(", ") || undefined;
}

/** The place of a search as people type it, e.g., "in Austin TX", "in Ohio", "in 10001"; "" if it has none. */
export function writePlace(query: Readonly<Record<string, string>>): string {
  const { recipient_city: city, recipient_state: state, recipient_zip: zip } = query;
  const town = city === undefined ? [state && nameState(state)] : [city, state];
  const parts = [...town, zip].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : `in ${parts.join(" ")}`;
}
