// Finds organizations by their names as someone types: one call after a short pause, which the next letter stops.
import { useEffect, useState } from "preact/hooks";
import { canonicalText } from "../../../api-static/contract/text/text.ts";
import { searchable } from "../address/query.ts";
import { organizationsCall } from "../api/calls.ts";
import type { FoundOrganization, Status } from "../api/client.ts";
import { useStatus } from "../api/useCall.ts";
import { cleanWords, readEin } from "../text/typed.ts";

/** Milliseconds without a further letter before a call. */
const pause = 100;

/** Organizations that a host offers for each text: what the list of a box has room for. */
const offeredMax = 6;

export type FoundNames = {
  /** The text that they were found for, as it was asked. */
  readonly name: string | undefined;
  /** Best first; undefined after a failure. */
  readonly organizations: readonly FoundOrganization[] | undefined;
};

const nothing: FoundNames = { name: undefined, organizations: [] };

type Role = "funder" | "recipient";

/** The name to ask for a text, or its EIN: in small letters, with one space between words; undefined if it is too short. */
export function nameToAsk(text: string): string | undefined {
  const ein = readEin(text);
  if (ein !== undefined) return ein;
  const name = searchable(canonicalText(cleanWords(text)));
  return /\p{L}/u.test(name) && /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(name) ? name : undefined;
}

/**
 * The organizations whose names are like a text, or that have this EIN. Those of an earlier text stay until they arrive.
 * @param role only those that made or received grants
 */
export function useOrganizations(text: string, role?: Role): FoundNames {
  const [found, setFound] = useState(nothing);
  const ask = findAsk(useStatus().found?.body);
  const name = nameToAsk(text);
  useEffect(() => {
    if (ask === undefined || name === undefined) return setFound(nothing);
    const controller = new AbortController();
    const set = (organizations: FoundNames["organizations"]) => setFound({ name, organizations });
    const timer = setTimeout(() => ask(name, role, controller.signal).then(set, () => undefined), pause);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [name, role, ask]);
  return found;
}

/** Milliseconds that Enter waits for an answer. */
const namedWait = 700;

/**
 * The organization that a text means: the one whose whole name it is, or the only one with grants whose name has its words, if no search
 * finds them; undefined if there is none, or the answer is late.
 * @param isUnused whether a search finds nothing
 */
export async function findNamed(
  text: string,
  status: Status | undefined,
  isUnused: () => Promise<boolean>,
): Promise<FoundOrganization | undefined> {
  const [ask, name] = [findAsk(status), nameToAsk(text)];
  if (ask === undefined || name === undefined) return undefined;
  const answer = await ask(name, undefined, AbortSignal.timeout(namedWait)).catch(() => undefined);
  const found = answer ?? [];
  const named = found.find((organization) => isNamed(name, organization));
  const [only, ...others] = found.filter(({ match, ...each }) => match !== "typo" && hasGrants(each));
  const isOnly = only !== undefined && others.length === 0 && found.length < offeredMax;
  return named ?? (isOnly && (await isUnused()) ? only : undefined);
}

/** True if a text is the name of an organization that has grants; of several words, because searches for one are frequent. @param name as it was asked */
export function isNamed(name: string, { match, ...sums }: FoundOrganization): boolean {
  return name.includes(" ") && match === "exact" && hasGrants(sums);
}

/** True if an organization made or received grants. */
export function hasGrants({ given, received }: Pick<FoundOrganization, "given" | "received">): boolean {
  return given.records + received.records > 0;
}

type Ask = typeof askNames;

/** The call; undefined where it would find nothing: without a server, or without a list of organizations. */
function findAsk(status: Status | undefined): Ask | undefined {
  if (status === undefined) return undefined;
  return status.organizations > 0 ? askNames : askEins;
}

async function askNames(name: string, role: Role | undefined, signal: AbortSignal) {
  const answer = await organizationsCall({ name, role, limit: offeredMax }).ask(signal);
  return answer.isFound ? answer.body.data : undefined;
}

/** A release without a list of organizations knows EINs only. */
const askEins: Ask = async (name, role, signal) =>
  readEin(name) === undefined ? [] : askNames(name, role, signal);
