// Writes places.
import { stateNames } from "../../../api-static/contract/states.ts";

/** A state's name, e.g., "California"; other letters as they are, in capitals. @param letters two, in any case */
export function nameState(letters: string): string {
  const state = letters.trim().toUpperCase();
  return stateNames.get(state) ?? state;
}

/** e.g., "Pasadena, CA"; undefined if neither is known. */
export function formatPlace(place: {
  readonly city: string | null;
  readonly state: string | null;
}): string | undefined {
  return [place.city, place.state].filter((part) => part !== null).join(", ") || undefined;
}
