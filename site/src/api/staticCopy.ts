// Answers pages of grants and totals from page files on a static host, which has no API server behind it.
import type { Answer } from "./client.ts";

/** True once an answer came from a file because no server answered. */
let isStatic = false;

/**
 * Asks the API. On a static host, finds the answer in a file: whole funders and common searches have files. Later calls of
 * the same page load then go to the files at once.
 * @param href path and query of the call
 * @param askApi makes the call
 */
export async function askOrFind<Found>(
  href: string,
  signal: AbortSignal | undefined,
  askApi: () => Promise<Answer<Found>>,
): Promise<Answer<Found>> {
  const answer = isStatic ? undefined : await askApi();
  if (answer !== undefined && (answer.isFound || answer.failure.code !== "static_host")) return answer;
  const { findAnswer } = await import("./pageFiles.ts"); // most hosts never need it
  const found = (await findAnswer(href, signal)) as Answer<Found>;
  isStatic ||= found.isFound;
  return found;
}
