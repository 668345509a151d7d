// Tests how a place is read at the end of typed words, and that no word is lost.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stateNames } from "../../../api-static/contract/text/states.ts";
import { readPlace } from "../../../site/src/search/place.ts";
import { writePlace } from "../../../site/src/text/places.ts";
import { cleanWords } from "../../../site/src/text/typed.ts";

const town = (city: string, state: string) => ({ recipient_city: city, recipient_state: state });

const word = fc.oneof(
  fc.constantFrom(
    "in",
    "IN",
    "of",
    "food",
    "New",
    "York",
    "Gary",
    "north",
    "St.",
    "O'Fallon",
    "10001",
    "2019",
    ",",
  ),
  fc.constantFrom(...stateNames.keys(), ...stateNames.values()),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);
const typed = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));

describe("a place in the box", () => {
  it.each([
    ["music in Austin TX", "music", town("Austin", "TX")],
    ["music in austin, texas", "music", town("austin", "TX")],
    ["arts in Ohio", "arts", { recipient_state: "OH" }],
    ["food bank in 10001", "food bank", { recipient_zip: "10001" }],
    ["arts in education in New York", "arts in education", { recipient_state: "NY" }],
    ["in West Virginia", "", { recipient_state: "WV" }],
    ["dance in New York, New York 10001", "dance", { ...town("New York", "NY"), recipient_zip: "10001" }],
    ["parks in Charles Town West Virginia", "parks", town("Charles Town", "WV")],
    ["schools in St. Louis MO", "schools", town("St. Louis", "MO")],
    ["schools in Gary IN 46402", "schools", { ...town("Gary", "IN"), recipient_zip: "46402" }],
    ["housing in Washington D.C.", "housing", town("Washington", "DC")],
    ["arts in IN", "arts", { recipient_state: "IN" }],
    ["homes in West Palm Beach FL", "homes", town("West Palm Beach", "FL")],
  ])("is read in “%s”", (text, words, place) => {
    expect(readPlace(text)).toStrictEqual({ words, place });
  });

  it.each([
    "women in science",
    "education in 2019",
    "believe in me",
    "arts in LA",
    "music in Austin",
    "Austin TX",
    "schools in rural Texas",
    "schools in the state of Texas",
    "parks in Travis County TX",
    "check in",
    "in",
    "",
  ])("is not guessed in “%s”", (text) => {
    expect(readPlace(text)).toBeUndefined();
  });

  it("is not read where the release does not know it", () => {
    expect(readPlace("music in Austin TX", (name) => name !== "recipient_city")).toBeUndefined();
    expect(readPlace("music in Ohio", (name) => name !== "recipient_city")).toBeDefined();
  });

  it("leaves all words before it as they were typed, and can be written as words that are read again", () => {
    const texts = fc.oneof(
      typed,
      fc.tuple(typed, typed).map(([words, place]) => `${words} in ${place}`),
    );
    let read = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const placed = readPlace(text);
        if (placed === undefined) return;
        read += 1;
        const { words, place } = placed;
        expect(cleanWords(text).startsWith(words === "" ? "" : `${words} `)).toBe(true);
        expect(readPlace(`${words} ${writePlace(place)}`)).toStrictEqual(placed);
        const rest = cleanWords(text).slice(words.length).toUpperCase();
        for (const [name, value] of Object.entries(place)) {
          const written = name === "recipient_state" ? [value, stateNames.get(value) ?? ""] : [value];
          const bare = rest.replaceAll(/[.,]/g, "");
          const isThere = written.some((each) => bare.includes(each.toUpperCase().replaceAll(/[.,]/g, "")));
          expect(isThere, `${name} ${value} of ${text}`).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});
