// Tests the figures of each rule against a brute-force count, and that a rule is served only if they prove it.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compare } from "../../../pipeline/match/figures.ts";
import { close, type Database, openSmallDatabase } from "../warehouse/warehouse.fixture.ts";
import { type FiledGrant, findAll, type ListedName, predict } from "./match.fixture.ts";

let database: Database;

beforeAll(async () => {
  database = await openSmallDatabase();
});

afterAll(() => close(database));

describe("an interval", () => {
  it("is that of Wilson, rounded outward", () => {
    // Values of R: binom::binom.confint(x, n, methods = "wilson")
    expect(compare(141, 141)).toEqual({ compared: 141, agreed: 141, share: 1, low: 0.9734, high: 1 });
    expect(compare(10, 8)).toEqual({ compared: 10, agreed: 8, share: 0.8, low: 0.4901, high: 0.9434 });
    expect(compare(0, 0)).toEqual({ compared: 0, agreed: 0, share: null, low: null, high: null });
  });

  it("needs 381 without a fault for 99 %", () => {
    expect([compare(380, 380).low, compare(381, 381).low]).toEqual([0.9899, 0.99]);
  });
});

/** Names of the list, one for each EIN. */
const list: ListedName[] = ["Food Bank", "Houston Ballet", "Symphony Orchestra", "Zoo"].map(
  (name, index) => ({
    ...{ ein: 111111111 * (index + 1), name },
  }),
);

describe("the figures", () => {
  it("are those of a brute-force count of funders and recipients as filed", async () => {
    const grant = fc.record({
      funder: fc.integer({ min: 1, max: 5 }),
      name: fc.constantFrom("Food Bank", "The Food Bank Inc", "Ballet of Houston", "Zoo", "Aquarium"),
      ein: fc.option(fc.constantFrom(111111111, 222222222, 111111121, 999999999)),
      year: fc.constantFrom(2019, 2020),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(grant, { minLength: 1, maxLength: 30 }), async (grants) => {
        const { connection } = database;
        const predicted = await predict(connection, grants, list);
        const { facts } = await findAll(connection, grants, list);
        for (const { rule, records, agreement, precision } of facts.rules) {
          const rows = grants.map((one, index) => ({ ...one, found: predicted[index]?.split(" ") ?? [] }));
          const own = rows.filter(({ found }) => found[0] === rule);
          const pairs = new Map(
            own.filter(({ ein }) => ein !== null).map((row) => [`${row.funder} ${row.name} ${row.ein}`, row]),
          );
          const agrees = ({ ein, found }: (typeof own)[number]) => String(ein) === found[1];
          // "The Food Bank Inc" is the same name as "Food Bank".
          const same = (one: string, other: string) =>
            one === other || (one.includes("Food") && other.includes("Food"));
          const fundersOf = (name: string, ein: number | null) =>
            new Set(rows.filter((row) => row.ein === ein && same(name, row.name)).map(({ funder }) => funder))
              .size;
          const isListed = (name: string, ein: number | null) =>
            list.some((one) => one.ein === ein && same(one.name, name));
          const backed = [...pairs.values()].filter(({ name, ein }) => {
            const funders = fundersOf(name, ein);
            const most = Math.max(
              ...rows.flatMap((row) => (row.ein === null ? [] : fundersOf(name, row.ein))),
            );
            return (
              funders > 1 && (funders === most || !list.some((one) => one.ein === ein) || isListed(name, ein))
            );
          });
          expect({
            records,
            agreement: [agreement.compared, agreement.agreed],
            precision: [precision.compared, precision.agreed],
          }).toEqual({
            records: own.filter(({ ein }) => ein === null).length,
            agreement: [pairs.size, [...pairs.values()].filter(agrees).length],
            precision: [backed.length, backed.filter(agrees).length],
          });
        }
      }),
      { numRuns: 12 },
    );
  });

  it("sort disagreements by kind", async () => {
    const of = (ein: number, name = "Food Bank"): FiledGrant => ({ ein, name, funder: ein });
    const others: ListedName[] = [
      { ein: 500000001, name: "FOOD BANK", state: "LA" },
      { ein: 500000002, name: "FOOD PANTRY" },
    ];
    const grants = [of(111111121), of(999999999), of(500000001), of(500000002), of(444444444), of(111111111)];
    const { facts } = await findAll(database.connection, grants, [...list, ...others]);
    const [rule] = facts.rules.filter(({ rule: name }) => name === "name_and_place");
    expect(rule?.disagreements).toEqual({
      digits: 1,
      unlisted: 1,
      same_name: 1,
      related_name: 1,
      other_name: 1,
    });
    expect(rule?.agreement).toMatchObject({ compared: 6, agreed: 1 });
  });

  it("count an EIN that more funders outvote only if the list has it by this name", async () => {
    const of = (funder: number, ein: number): FiledGrant => ({ funder, name: "Food Bank", ein });
    const most = [1, 2, 3].map((funder) => of(funder, 111111111));
    const precisionWith = async (ein: number, others: readonly ListedName[]) => {
      const grants = [...most, of(4, ein), of(5, ein)];
      const { facts } = await findAll(database.connection, grants, [...list, ...others]);
      return facts.rules.map(({ precision }) => precision.compared).reduce((sum, count) => sum + count, 0);
    };
    expect(await precisionWith(999999999, [])).toBe(3);
    const namesake = { ein: 999999999, name: "FOOD BANK", state: "LA" };
    expect(await precisionWith(999999999, [namesake])).toBe(5);
  });

  it("state the agreement for names that one funder alone filed, with EINs of the list", async () => {
    const grants = [
      { funder: 1, name: "Food Bank", ein: 111111111 },
      { funder: 2, name: "Food Bank", ein: 111111111 },
      { funder: 1, name: "Food Bank", ein: 111111111, city: null },
      { funder: 3, name: "Symphony Orchestra", ein: 333333333 },
      { funder: 3, name: "Symphony Orchestra, Inc.", ein: 999999999 },
    ];
    const { facts } = await findAll(database.connection, grants, list);
    const [rule] = facts.rules.filter(({ rule: name }) => name === "name_and_place");
    expect(rule?.alone).toMatchObject({ compared: 1, agreed: 1 });
  });

  it("count misspelled names as a consensus if another funder filed the EIN for a name like it", async () => {
    const grants = [
      { funder: 1, name: "Symphany Orchestra", ein: 333333333 },
      { funder: 2, name: "Symphony Orchestra", ein: 333333333 },
      { funder: 3, name: "Symphonyy Orchestra", ein: 444444444 },
    ];
    const { facts } = await findAll(database.connection, grants, list);
    const [rule] = facts.rules.filter(({ rule: name }) => name === "misspelled");
    expect([rule?.agreement, rule?.precision]).toMatchObject([
      { compared: 2, agreed: 1 },
      { compared: 1, agreed: 1 },
    ]);
  });
});

/** Pairs that prove a rule: of each recipient, as many as two funders. */
function provenGrants(wrong: number): FiledGrant[] {
  return Array.from({ length: 400 }, (_, index) => ({
    ...{ funder: index, name: "Food Bank", zip: 70000 + (index >> 1), city: null, state: "TX" },
    ein: index < wrong ? 222222222 : 111111111,
  }));
}
/** The organization is in the ZIP codes of all of them; the city is left out, so that there is no history. */
const everywhere: ListedName[] = Array.from({ length: 200 }, (_, index) => ({
  ein: 111111111,
  name: "FOOD BANK",
  zip: 70000 + index,
  city: null,
}));

describe("a rule", () => {
  const asked = { funder: 9_999, name: "Food Bank", zip: 70005, city: null };

  it("is served if enough funders prove it", async () => {
    const inCity = provenGrants(0).map((grant) => ({ ...grant, city: "Houston" }));
    const { facts, matches } = await findAll(
      database.connection,
      [...inCity, { ...asked, city: "Houston" }],
      everywhere,
    );
    expect(facts).toMatchObject({ matched: 1, placed: 1, without_ein: 1, why: null });
    expect(matches).toEqual([
      {
        ...{ position: 400, ein: 111111111, rule: "history", score: 0.99 },
        evidence: "Filed by 400 funders for this name in Houston, TX.",
      },
    ]);
  });

  it("is not served without a consensus that proves it, and nothing it found is", async () => {
    const { facts, matches } = await findAll(database.connection, [...provenGrants(0), asked], everywhere);
    const [rule] = facts.rules.filter(({ rule: name }) => name === "name_and_place");
    expect(rule).toMatchObject({ served: false, records: 1, agreement: { compared: 400, agreed: 400 } });
    expect(rule?.why).toBe(
      "Its precision is not proven: none to compare, with 0 compared; 99.00 % is needed.",
    );
    expect([facts.matched, matches]).toEqual([0, []]);
  });

  it("is not served if its agreement fell by half a point since the release before", async () => {
    const grants = [
      ...provenGrants(0).map((grant) => ({ ...grant, city: "Houston" })),
      { ...asked, city: "Houston" },
    ];
    const { facts: first } = await findAll(database.connection, grants, everywhere);
    const history = first.rules[0];
    if (history === undefined) throw new Error("there are no rules");
    const findWith = async (share: number) => {
      const before = [{ ...history, agreement: { ...history.agreement, share } }];
      const [fresh] = (await findAll(database.connection, grants.slice(3), everywhere, { before })).facts
        .rules;
      return [fresh?.served, fresh?.why];
    };
    expect(await findWith(1)).toEqual([true, null]);
    const worse = grants.map((grant, index) => (index < 2 ? { ...grant, ein: 999999999 - index } : grant));
    const { facts } = await findAll(database.connection, worse, everywhere, { before: first.rules });
    expect(facts.rules[0]).toMatchObject({ agreement: { agreed: 398, compared: 400 }, served: false });
  });
});

describe("objections", () => {
  const grants = [
    ...provenGrants(0).map((grant) => ({ ...grant, city: "Houston" })),
    { funder: 9_998, name: "Food Bank Inc", zip: 79999 },
  ];

  it("remove a match, or name the right EIN, for all grants with the name and place", async () => {
    const find = async (right: number | undefined) => {
      const objections = [{ id: "401", matched: 111111111, right }];
      const { matches, facts } = await findAll(
        database.connection,
        [...grants, { ...grants[400], name: "The Food Bank" } as FiledGrant],
        everywhere,
        { objections },
      );
      expect(facts.matched).toBe(matches.length);
      return matches;
    };
    expect(await find(undefined)).toEqual([]);
    const named = { ein: 444444444, rule: "operator", score: 1, evidence: "Named by the operator." };
    expect(await find(444444444)).toEqual([
      { position: 400, ...named },
      { position: 401, ...named },
    ]);
  });

  it("to another match, or to a grant that is gone, have no effect", async () => {
    const objections = [
      { id: "401", matched: 999999999, right: undefined },
      { id: "77777", matched: 111111111, right: undefined },
    ];
    const { matches } = await findAll(database.connection, grants, everywhere, { objections });
    expect(matches).toHaveLength(1);
  });
});

describe("several objections to one name and place", () => {
  const [a, b, c] = [111111111, 444444444, 555555555];
  const grants = [
    ...provenGrants(0).map((grant) => ({ ...grant, city: "Houston" })),
    ...[
      { funder: 9_998, name: "Food Bank Inc", zip: 79999 },
      { funder: 9_998, name: "The Food Bank", zip: 79999 },
    ],
  ];
  it.each([
    [
      "both wrong",
      [
        [a, undefined],
        [b, undefined],
      ],
      null,
    ],
    [
      "wrong, and wrong with the right one",
      [
        [a, undefined],
        [a, b],
      ],
      b,
    ],
    [
      "the right one of an earlier row is wrong",
      [
        [a, b],
        [b, undefined],
      ],
      null,
    ],
    [
      "the right one of an earlier row is wrong, and another right",
      [
        [a, b],
        [b, c],
      ],
      c,
    ],
    [
      "two right ones",
      [
        [a, b],
        [a, c],
      ],
      null,
    ],
    [
      "the match is right by another row",
      [
        [a, undefined],
        [b, a],
      ],
      null,
    ],
    [
      "of another match only",
      [
        [b, undefined],
        [c, undefined],
      ],
      a,
    ],
  ] as const)("count together, in any order: %s", async (_, rows, expected) => {
    const given = rows.map(([matched, right], row) => ({ id: String(401 + row), matched, right }));
    for (const objections of [given, given.toReversed()]) {
      const { matches } = await findAll(database.connection, grants, everywhere, { objections });
      expect(matches.map(({ ein }) => ein)).toEqual(expected === null ? [] : [expected, expected]);
    }
  });

  it("are joined by equality, without a loop over all pairs", async () => {
    const plans: string[] = [];
    const run = database.connection.run.bind(database.connection);
    const spy = vi.spyOn(database.connection, "run").mockImplementation(async (sql, values) => {
      if (sql.includes("UPDATE predicted")) plans.push(String(await (await run(`EXPLAIN ${sql}`)).getRows()));
      return run(sql, values);
    });
    await findAll(database.connection, grants, everywhere, {
      objections: [{ id: "401", matched: a, right: undefined }],
    });
    spy.mockRestore();
    expect(plans).toEqual([expect.not.stringMatching(/NESTED_LOOP|BLOCKWISE|CROSS_PRODUCT/)]);
  });
});

describe("matches", () => {
  it("are the same whatever the order of the grants and the list", async () => {
    const grants = provenGrants(0).map((grant, index) => ({
      ...grant,
      city: "Houston",
      ein: index % 3 === 0 ? null : 111111111,
    }));
    const [one, other] = [
      await findAll(database.connection, grants, everywhere),
      await findAll(database.connection, [...grants].reverse(), [...everywhere].reverse()),
    ];
    const plain = (matches: typeof one.matches) => matches.map(({ position: _, ...rest }) => rest);
    expect(other.facts).toEqual(one.facts);
    expect(plain(other.matches)).toEqual(plain([...one.matches].reverse()));
  });
});
