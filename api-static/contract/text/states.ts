// Names the states and territories of the United States by their two letters, and reads towns and ZIP codes. A town is known by its city,
// in canonical form, and its state.
import { type Fault, malformed } from "../errors.ts";

const listed =
  "AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware," +
  "DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas," +
  "KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi," +
  "MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York," +
  "NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island," +
  "SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington," +
  "WV West Virginia,WI Wisconsin,WY Wyoming,AS American Samoa,GU Guam,MP Northern Mariana Islands," +
  "PR Puerto Rico,VI U.S. Virgin Islands";

/** The names by two letters: 50 states and the District of Columbia by name, then territories. */
export const stateNames: ReadonlyMap<string, string> = new Map(
  listed.split(",").map((state) => [state.slice(0, 2), state.slice(3)]),
);

/** A state's name, e.g., "California"; other letters as they are, in capitals. @param letters two, in any case */
export function nameState(letters: string): string {
  const state = letters.trim().toUpperCase();
  return stateNames.get(state) ?? state;
}

/** The two letters of a state, in capitals. @param name of its parameter */
export function parseState(name: string, value: string): string | Fault {
  return /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : malformed(`${name} must be two letters`, value);
}

/** Between the parts of a town: the canonical city, the state (empty if it is unknown), and the city as most grants have it. */
export const townSeparator = "\x1F";

/** What the towns with a city start with. @param city in canonical form */
export function townStart(city: string): string {
  return city + townSeparator;
}

/** The city as filed, and the state, null if it is unknown. */
export function readTown(town: string): readonly (string | null)[] {
  const [, state, city = ""] = town.split(townSeparator);
  return [city, state || null];
}

/** A city for headings: words of capitals or small letters alone get one capital each, e.g., "New York". */
export function nameTown(city: string): string {
  const isPlain = city === city.toLowerCase() || city === city.toUpperCase();
  return isPlain
    ? city.toLowerCase().replaceAll(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase())
    : city;
}

/** The first digits of a ZIP code. @param name of its parameter */
export function parseZip(name: string, value: string): string | Fault {
  return /^\d{3,5}$/.test(value) ? value : malformed(`${name} must be three to five digits`, value);
}
