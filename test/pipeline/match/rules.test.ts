// Tests the rules that name likely recipients, and what stops each from naming a wrong one.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { close, type Database, openSmallDatabase } from "../warehouse/warehouse.fixture.ts";
import { type FiledGrant, type ListedName, predict } from "./match.fixture.ts";

let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

afterAll(() => close(database));

/** What the rules name for one grant. */
async function predictOne(
  grant: FiledGrant,
  list: readonly ListedName[],
): Promise<string | null | undefined> {
  const [found] = await predict(database.connection, [grant], list);
  return found;
}

const foodBank = { ein: 111111111, name: "HOUSTON FOOD BANK" };

describe("name and place", () => {
  it.each([
    "The Houston Food Bank, Inc.",
    "HOUSTON FOOD BANK CORP",
    "houston  food-bank",
    "Houstón Food Bank",
    "HOUSTON FOODBANK",
  ])("finds %j", async (name) => {
    expect(await predictOne({ name }, [foodBank])).toBe("name_and_place 111111111");
  });

  it.each([
    ["Univ of Houston Fdn", "UNIVERSITY OF HOUSTON FOUNDATION"],
    ["Y.M.C.A. of Houston", "YMCA OF HOUSTON"],
    ["Boys & Girls Club", "BOYS AND GIRLS CLUB"],
    ["Children's Museum", "CHILDRENS MUSEUM"],
    ["St. Luke's Hosp", "SAINT LUKES HOSPITAL"],
  ])("reads %j as %j", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBe("name_and_place 222222222");
  });

  it.each([
    ["Please Touch Museum", "name_and_place 222222222"],
    ["Per Scholas Inc", "name_and_place 222222222"],
    ["(See attached)", null],
    ["Available upon request", null],
  ])("reads %j as a name only if it is one", async (name, expected) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name }])).toBe(expected);
  });

  it("needs the state, and the city or the ZIP code", async () => {
    const { connection } = database;
    const grants = [
      { name: "Houston Food Bank", zip: null },
      { name: "Houston Food Bank", city: null },
      { name: "Houston Food Bank", city: null, zip: null },
      { name: "Houston Food Bank", state: null },
    ];
    const here = "name_and_place 111111111";
    expect(await predict(connection, grants, [foodBank])).toEqual([here, here, null, null]);
  });

  it.each([
    ["St. Louis", "SAINT LOUIS"],
    ["FT. WORTH", "Fort Worth"],
    ["Mount Vernon", "MT VERNON"],
    ["O'Fallon", "OFALLON"],
  ])("reads the city %j as %j", async (city, listed) => {
    expect(
      await predictOne({ name: "Food Bank", city, zip: 1 }, [
        { ...foodBank, name: "FOOD BANK", city: listed },
      ]),
    ).toBe("name_and_place 111111111");
  });

  it("names none of two organizations", async () => {
    const other = { ein: 222222222, name: "Houston Food Bank Inc", zip: 77099 };
    expect(await predictOne({ name: "Houston Food Bank" }, [foodBank, other])).toBeNull();
  });

  it("finds earlier names, each in its place", async () => {
    const list = [
      { ...foodBank, period: "2024-12" },
      { ...foodBank, name: "END HUNGER NETWORK", city: "Pasadena", zip: 77501, period: "2012-12" },
    ];
    expect(await predictOne({ name: "End Hunger Network", city: "Pasadena", zip: 77501 }, list)).toBe(
      "name_and_place 111111111",
    );
  });

  it.each([
    ["PLAINS HOSPITALS", "CLARK FORK VALLEY CLINIC", "Clark Fork Valley Clinic"],
    ["ROTARY CLUBS OF TEXAS", "ROTARY CLUB OF HOUSTON", "Rotary Club of Houston"],
    ["COLLEGE OF HOUSTON", "CENTRE COLLEGE", "Centre College"],
  ])("finds %s by its second name %s", async (name, also, asked) => {
    expect(await predictOne({ name: asked }, [{ ein: 333333333, name, also }])).toBe(
      "name_and_place 333333333",
    );
  });

  it.each([
    ["PSI CHI", "CENTRE COLLEGE"],
    ["HOUSTON EDUCATION ASSOCIATION", "CAWLEY MIDDLE SCHOOL"],
    ["FRIENDS OF THE UNIVERSITY", "UNIVERSITY OF NEBRASKA"],
    ["JOHN DOE TR UW", "HARTFORD HOSPITAL"],
    ["PAAC", "HELPERS"],
  ])("does not find %s by its second name %s", async (name, also) => {
    expect(await predictOne({ name: also }, [{ ein: 333333333, name, also }])).toBeNull();
  });

  it("finds a subordinate by its first name alone, and only if nobody else has it", async () => {
    const chapter = {
      ein: 333333333,
      name: "YALE UNIVERSITY",
      also: "CLASS OF YALE 1999",
      subordinate: true,
    };
    const university = { ein: 444444444, name: "YALE UNIVERSITY" };
    const asked = (name: string, list: readonly ListedName[]) => predictOne({ name }, list);
    expect(await asked("Yale University", [chapter])).toBe("name_and_place 333333333");
    expect(await asked("Class of Yale 1999", [chapter])).toBeNull();
    expect(await asked("Yale University", [chapter, university])).toBe("name_and_place 444444444");
    expect(await asked("Yale University", [chapter, { ...chapter, ein: 1 }])).toBeNull();
  });

  it.each([
    ["YMCA of Central Houston", "YOUNG MENS CHRISTIAN ASSN OF CENTRAL HOUSTON"],
    ["Y M C A of Central Houston", "YMCA OF CENTRAL HOUSTON INC"],
    ["VFW Auxiliary", "VETERANS OF FOREIGN WARS AUXILIARY"],
    ["United Way of TX", "UNITED WAY OF TEXAS"],
    ["NM Mesa", "NEW MEXICO MESA INC"],
    ["Houston Public TV", "HOUSTON PUBLIC TELEVISION"],
  ])("reads %j as %j, and the other way round", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBe("name_and_place 222222222");
    expect(await predictOne({ name: listed }, [{ ein: 222222222, name }])).toBe("name_and_place 222222222");
  });

  it("names no organization that was founded more than two years later", async () => {
    const grants = [
      { name: "Houston Food Bank", year: 2010 },
      { name: "Houston Food Bank", year: 2023 },
    ];
    const young = { ...foodBank, founded: 2025 };
    expect(await predict(database.connection, grants, [young])).toEqual([null, "name_and_place 111111111"]);
    const reinstated = [young, { ...young, name: "OLD NAME", founded: 2024, period: "2009-12" }];
    expect((await predict(database.connection, grants, reinstated))[0]).toBe("name_and_place 111111111");
  });
});

describe("another form of the name", () => {
  it.each([
    ["Ballet of Houston", "HOUSTON BALLET"],
    ["Good Deeds Inc. DBA Houston Food Bank", "HOUSTON FOOD BANK"],
    ["Houston Food Bank (Good Deeds)", "HOUSTON FOOD BANK"],
    ["Houston Food Bank", "GOOD DEEDS D/B/A HOUSTON FOOD BANK"],
    ["Houston Food Bank - Backpacks", "HOUSTON FOOD BANK"],
    ["Veterans (DAV) Charitable Trust", "VETERANS CHARITABLE TRUST"],
    ["Houston Food Bank - TX", "HOUSTON FOOD BANK"],
    ["Dartmouth College", "TRUSTEES OF DARTMOUTH COLLEGE"],
  ])("reads %j as %j", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBe(
      "other_form_of_name 222222222",
    );
  });

  it.each([
    ["Millard Public Schools", "MILLARD PUBLIC SCHOOLS FOUNDATION"],
    ["On the Rise", "RISE"],
    ["Houston Food Bank Foundation", "HOUSTON FOOD BANK"],
    ["Museum Fund", "MUSEUM"],
    ["Museum (Incorporated)", "BALLET (INCORPORATED)"],
    ["Museum of Art (National)", "SEMINAR (NATIONAL)"],
    ["Teach for Us - Greater Houston", "SCHOOLS - GREATER HOUSTON"],
    ["Lighthouse - Houston", "HOUSTON COMPANY"],
    ["Veterans (DAV) Charitable Trust", "VETERANS"],
    ["Houston University", "CHESS CLUB - HOUSTON UNIVERSITY"],
    ["Houston University", "HOUSTON UNIVERSITY - PARENTS ASSOCIATION"],
    ["United Way of TX", "UNITED WAY"],
  ])("does not read %j as %j", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBeNull();
  });

  it("is in the same city or ZIP code", async () => {
    expect(
      await predictOne({ name: "Ballet of Houston", city: "Austin", zip: 78701 }, [
        { ein: 1, name: "HOUSTON BALLET" },
      ]),
    ).toBeNull();
  });
});

describe("misspelled names", () => {
  it.each([
    ["Houston Foood Bank", "HOUSTON FOOD BANK"],
    ["Huoston Food Bank", "HOUSTON FOOD BANK"],
    ["Houston Symphany Orchestra", "HOUSTON SYMPHONY ORCHESTRA"],
    ["Houston Preparatory Academies", "HOUSTON PREPARATORYACADEMIE"],
  ])("reads %j as %j", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBe("misspelled 222222222");
  });

  it.each([
    ["Rise House", "RICE HOUSE"],
    ["Houston Lodge 12", "HOUSTON LODGE 13"],
    ["North Houston Clinic", "SOUTH HOUSTON CLINIC"],
    ["East Houston Clinic", "WEST HOUSTON CLINIC"],
    ["YMCA of Greater Houston", "YWCA OF GREATER HOUSTON"],
    ["Houston Mens Shelter", "HOUSTON WOMENS SHELTER"],
    ["Covenant House Houston", "COVENANT HOME HOUSTON"],
    ["Houston Food Bank", "HOUSTON BLOOD BANK"],
    ["Kansas Ballet Theater", "ARKANSAS BALLET THEATER"],
  ])("does not read %j as %j", async (name, listed) => {
    expect(await predictOne({ name }, [{ ein: 222222222, name: listed }])).toBeNull();
  });
});

describe("history", () => {
  const filed = (funder: number, ein: number | null, name = "Houston Food Bank"): FiledGrant => ({
    funder,
    ein,
    name,
  });

  it("needs two other funders that filed the same EIN for the same name and city", async () => {
    const { connection } = database;
    const asked = filed(9, null, "Houston Food Bank, Inc.");
    const [one] = await predict(connection, [asked, filed(1, 111111111)], []);
    const [two] = await predict(connection, [asked, filed(1, 111111111), filed(2, 111111111)], []);
    const [same] = await predict(connection, [asked, filed(1, 111111111), filed(1, 111111111)], []);
    const [town] = await predict(
      connection,
      [asked, filed(1, 111111111), { ...filed(2, 111111111), city: "Austin" }],
      [],
    );
    expect([one, two, same, town]).toEqual([null, "history 111111111", null, null]);
  });

  it("does not count the grant's own funder", async () => {
    const grants = [filed(1, null), filed(1, 111111111), filed(2, 111111111)];
    expect(await predict(database.connection, grants, [])).toEqual([null, null, null]);
    const more = [...grants, filed(3, 111111111)];
    expect(await predict(database.connection, more, [])).toEqual(Array(4).fill("history 111111111"));
  });

  it("names none of two EINs, unless the grant's own funder made one of them", async () => {
    const grants = [
      ...[filed(1, 111111111), filed(2, 111111111), filed(3, 222222222), filed(4, 222222222)],
      ...[filed(9, null), filed(4, null)],
    ];
    const found = await predict(database.connection, grants, []);
    expect(found.slice(4)).toEqual([null, "history 111111111"]);
  });

  it("says nothing if the list has several organizations of the name in the place", async () => {
    const grants = [filed(9, null), filed(1, 111111111), filed(2, 111111111)];
    const list = [foodBank, { ...foodBank, ein: 222222222 }];
    expect(await predict(database.connection, grants, list)).toEqual([null, null, null]);
  });

  it("comes before the list", async () => {
    const grants = [filed(9, null), filed(1, 222222222), filed(2, 222222222)];
    expect((await predict(database.connection, grants, [foodBank]))[0]).toBe("history 222222222");
  });

  it("predicts the same for a funder whose own EINs are hidden", async () => {
    const names = ["Food Bank", "Food Bank Inc", "Rise", "Ballet of Houston", "Houston Ballet"];
    const grant = fc.record({
      funder: fc.integer({ min: 1, max: 4 }),
      name: fc.constantFrom(...names),
      ein: fc.option(fc.constantFrom(111111111, 222222222, 333333333)),
      city: fc.constantFrom("Houston", "Austin"),
      zip: fc.constantFrom(77002, 78701),
    });
    const list = [
      foodBank,
      { ein: 222222222, name: "HOUSTON BALLET" },
      { ein: 333333333, name: "FOOD BANK", city: "Austin", zip: 78701 },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(grant, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 1, max: 4 }),
        async (grants, funder) => {
          const of = (found: readonly (string | null)[]) =>
            found.filter((_, index) => grants[index]?.funder === funder);
          const seen = await predict(database.connection, grants, list);
          const hidden = grants.map((one) => (one.funder === funder ? { ...one, ein: null } : one));
          expect(of(await predict(database.connection, hidden, list))).toEqual(of(seen));
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe("no rule", () => {
  it.each([
    ["Schedule I individuals", "Houston Food Bank"],
    ["Schedule F", "Houston Food Bank"],
    ["990-PF", "See attached"],
    ["990-PF", "VARIOUS"],
    ["990-PF", null],
    ["990-PF", "???"],
    ["990-PF", "The Company, Inc."],
  ])("names a recipient of %s called %j", async (type, name) => {
    const list = [
      foodBank,
      { ein: 222222222, name: "SEE ATTACHED" },
      { ein: 333333333, name: "VARIOUS" },
      { ein: 4, name: "???" },
      { ein: 5, name: "THE COMPANY INC" },
    ];
    expect(await predictOne({ type, name }, list)).toBeNull();
  });
});
