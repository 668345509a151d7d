// Defines what a tool is, and the parts that results of several tools have.
import type { Ein } from "../../contract/ein.ts";
import type { Schema } from "../../contract/schema.ts";
import type { Accepted, Texts } from "./arguments.ts";
import type { Asker, Body } from "./ask.ts";

/** What a tool finds, and a sentence about it; without one, the text is the content as JSON. */
export type Found = { readonly text?: string; readonly content: Body };

export type Tool = {
  readonly name: string;
  readonly title: string;
  /** For models: when to use it. */
  readonly description: string;
  readonly accepted: Accepted;
  readonly required?: readonly string[];
  readonly output: Schema;
  /** @throws ToolProblem */
  readonly call: (given: Texts, asker: Asker) => Promise<Found>;
};

const numbers = new Intl.NumberFormat("en-US");

/** e.g., "1 grant" or "1,234 grants" */
export function countOf(value: unknown, noun: string): string {
  return `${numbers.format(Number(value))} ${noun}${value === 1 ? "" : "s"}`;
}

/** An answer of the API as a result, with the names of all funders in it. */
export async function withNames({ success, ...body }: Body, url: string, asker: Asker): Promise<Body> {
  const eins = JSON.stringify(body).matchAll(/"funder_ein":"(\d{9})"/g);
  const names = await asker.namesOf(eins.map(([, ein]) => ein as Ein));
  return { release: asker.release, url, ...body, names };
}

/** The arguments of the next page; null on the last page. @param end of the offsets that the API answers */
export function nextOf(given: Texts, body: Body, asker: Asker, end: number): Body | null {
  const { total, limit, offset } = body as { total: number; limit: number; offset: number };
  const next = offset + limit;
  if (next >= Math.min(total, end)) return null;
  return { ...Object.fromEntries(given), limit, offset: next, release: asker.release };
}
