// Reads a place at the end of typed words: "music in Austin TX" are the word "music" and a town.
import { stateNames } from "../../../api-static/contract/text/states.ts";
import type { Query } from "../address/query.ts";
import { cleanWords } from "../text/typed.ts";

/** Words, and the filters of the place that came after them. */
export type Placed = { readonly words: string; readonly place: Query };

const codes = new Map(
  [...stateNames].flatMap(([code, name]) => [
    [code, code],
    [letters(name), code],
  ]),
);

/** After "in", these are words in small letters; LA is a city as often as a state. */
const wordCodes = ["as", "hi", "in", "la", "LA", "me", "ok", "or"];

/** What stands before a state and is no city: in the north of it, or all of it. */
const vague = /^(?:(?:north|south|east|west)(?:ern)?|central|rural|urban|upstate|downtown|greater)$/i;
const vagueStart = /^(?:an?|the|our|their|my|all|every|any|(?:state|city|town|county) of)(?: |$)/i;

const cityWord = /^\p{L}[\p{L}\p{M}.'’-]*$/u;

/** A city has at most this many words, such as "Fort Walton Beach". */
const cityWordsMax = 4;

/**
 * The words and the place of a text; undefined if it does not end in "in" and a state, a city with its state, or a ZIP code, or if one of these
 * cannot be searched. Nothing is lost: `writePlace` writes the place as words that this reads again.
 * @param isKnown whether the release knows an attribute of grants
 */
export function readPlace(text: string, isKnown: (name: string) => boolean = () => true): Placed | undefined {
  const tokens = cleanWords(text).split(" ");
  const starts = [...tokens.keys()].filter((at) => /^in$/i.test(tokens[at] ?? "") && at < tokens.length - 1);
  const [last, before] = starts.reverse();
  const read = (at = -1): Placed | undefined => {
    const place = at < 0 ? undefined : parsePlace(tokens.slice(at + 1));
    return place && { words: tokens.slice(0, at).join(" "), place };
  };
  const isState = last === tokens.length - 2 && /^\d/.test(tokens.at(-1) ?? ""); // Gary IN 46402
  const placed = (isState ? read(before) : undefined) ?? read(last);
  return placed && Object.keys(placed.place).every(isKnown) ? placed : undefined;
}

function parsePlace(tokens: readonly string[]): Query | undefined {
  const last = tokens.at(-1) ?? "";
  if (/^\d{5}$/.test(last)) {
    const town = tokens.length === 1 ? {} : parseTown(tokens.slice(0, -1));
    return town && { ...town, recipient_zip: last };
  }
  return parseTown(tokens);
}

/** A state, by its name or code, or a city and its state. The longest name counts: West Virginia is not Virginia. */
function parseTown(tokens: readonly string[]): Query | undefined {
  for (let from = 0; from < tokens.length; from++) {
    const state = codes.get(letters(tokens.slice(from).join(" ")));
    if (state === undefined) continue;
    if (from === 0) return wordCodes.includes(tokens.join(" ")) ? undefined : { recipient_state: state };
    const city = tokens.slice(0, from).join(" ").replace(/ ?,$/, "");
    return isCity(city) ? { recipient_city: city, recipient_state: state } : undefined;
  }
  return undefined;
}

function isCity(city: string): boolean {
  const words = city.split(" ");
  return (
    words.length <= cityWordsMax &&
    words.every((word) => cityWord.test(word)) &&
    !words.every((word) => vague.test(word)) &&
    !vagueStart.test(city) &&
    !/ county$/i.test(city)
  );
}

/** A state's letters in capitals, without the stops of "D.C." and the comma before a ZIP code. */
function letters(state: string): string {
  return state.toUpperCase().replaceAll(/[.,]/g, "");
}
