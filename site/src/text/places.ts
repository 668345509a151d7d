// Writes places.

/** e.g., "Pasadena, CA"; undefined if neither is known. */
export function formatPlace(place: {
  readonly city: string | null;
  readonly state: string | null;
}): string | undefined {
  return [place.city, place.state].filter((part) => part !== null).join(", ") || undefined;
}
