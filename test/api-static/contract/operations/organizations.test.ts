// Tests requests for organizations by name: their parameters, canonical URLs and lines.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEin } from "../../../../api-static/contract/ein.ts";
import {
  formatOrganizationLines,
  type NamesOfRequest,
  namesHref,
  type OrganizationsRequest,
  organizationsHref,
} from "../../../../api-static/contract/operations/organizations.ts";
import { parseRequest } from "../../../../api-static/contract/request.ts";
import { ein, text } from "../arbitraries.ts";

const path = "/v1/organizations";

function problems(query: string, of = path) {
  const parsed = parseRequest(of, query);
  if (parsed.kind !== "refused") throw new Error(`${query} is not refused`);
  return parsed.problems;
}

describe("a search for organizations", () => {
  it("has a canonical name, and the parameters that it gives", () => {
    expect(parseRequest(path, "?name=%20Saint%20%20Mary%09School+")).toStrictEqual({
      kind: "organizations",
      name: "saint mary school",
      limit: 10,
    });
    expect(parseRequest(path, "role=funder&limit=100&state=ca&name=CAFE%CC%81")).toStrictEqual({
      ...{ kind: "organizations", name: "café", state: "CA", role: "funder", limit: 100 },
    });
  });

  it("reports all problems at once", () => {
    expect(problems("?limit=0&state=cal&role=giver&names=1&name=%20")).toStrictEqual([
      {
        parameter: "limit",
        code: "out_of_range",
        message: 'limit must be an integer from 1 to 100, got "0"',
      },
      { parameter: "state", code: "malformed", message: 'state must be two letters, got "cal"' },
      {
        ...{ parameter: "role", code: "malformed" },
        message: 'role must be one of funder, recipient, got "giver"',
      },
      {
        ...{ parameter: "names", code: "unknown" },
        message: "names is not a parameter of this operation; it accepts name, state, role, limit",
      },
      { parameter: "name", code: "blank", message: "name must not be blank; omit it instead" },
    ]);
  });

  it("needs a name of at most 200 characters", () => {
    const message = "name must be given: words of the organization's name, or its EIN";
    for (const query of ["", "?state=CA"])
      expect(problems(query)).toStrictEqual([{ parameter: "name", code: "blank", message }]);
    expect(parseRequest(path, `?name=${"é".repeat(200)}`).kind).toBe("organizations");
    expect(problems(`?name=${"é".repeat(201)}`)).toMatchObject([{ parameter: "name", code: "out_of_range" }]);
    expect(problems("?name=%FF")).toMatchObject([{ parameter: "name", code: "malformed" }]);
    expect(problems("?name=a&limit=101")).toMatchObject([{ parameter: "limit", code: "out_of_range" }]);
  });

  it("has a canonical URL that is parsed to the same request, whatever the name", () => {
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const spelled = fc.record({
      name: text,
      state: optional(fc.constantFrom("ca", "NY")),
      role: optional(fc.constantFrom("funder", "recipient")),
      limit: optional(fc.integer({ min: 1, max: 100 })),
    });
    fc.assert(
      fc.property(spelled, (given) => {
        const pairs = Object.entries(given).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)]],
        );
        const parsed = parseRequest(path, String(new URLSearchParams(pairs)));
        if (parsed.kind === "refused") return;
        const href = organizationsHref(parsed as OrganizationsRequest);
        expect(parseRequest(path, href.slice(path.length))).toStrictEqual(parsed);
      }),
    );
  });
});

describe("a request for names", () => {
  const [path, of] = ["/v1/names", "EINs of nine digits, separated by commas"];
  const eins = Array.from({ length: 101 }, (_, index) => formatEin(131_635_294 - index));

  it("has up to 100 different EINs, each once, where it is first", () => {
    expect(parseRequest(path, "?eins=53-0196605,131635294,%20530196605")).toStrictEqual({
      kind: "namesOf",
      eins: ["530196605", "131635294"],
    });
    expect(parseRequest(path, `eins=${[...eins.slice(1), eins[1]]}`)).toMatchObject({ eins: eins.slice(1) });
  });

  it.each([
    ["", "blank", "eins must be given: the EINs of the organizations, separated by commas"],
    ["eins=%20", "blank", "eins must not be blank; omit it instead"],
    ["eins=12", "malformed", 'eins must be nine digits, got "12"'],
    ["eins=131635294,", "malformed", `eins must be ${of}, got "131635294,"`],
    [`eins=${eins}`, "out_of_range", "eins must have at most 100 different EINs, got 101"],
    ["eins=131635294&eins=1", "repeated", "eins must be given once, got 2 values"],
  ])("is refused with %j", (query, code, message) => {
    expect(problems(query, path)).toStrictEqual([{ parameter: "eins", code, message }]);
  });

  it("has a canonical URL that is parsed to the same request", () => {
    fc.assert(
      fc.property(fc.array(ein, { minLength: 1, maxLength: 100 }), (some) => {
        const parsed = parseRequest(path, `eins=${some}`) as NamesOfRequest;
        const href = namesHref(parsed);
        expect(parseRequest(path, href.slice(path.length))).toStrictEqual(parsed);
      }),
    );
  });
});

describe("the lines of organizations", () => {
  const found = {
    ein: formatEin(10_211_513),
    name: 'FRIENDS OF "OAK" \n SCHOOL',
    city: null,
    state: "ME",
    given: { records: 2, amount: -150n },
    received: { records: 1, amount: 10n ** 17n + 1n },
    match: "words" as const,
  };

  it("have exact sums with two decimals, and the other name if there is one", () => {
    expect(formatOrganizationLines([found, { ...found, also: "POST 7" }])).toBe(
      '{"ein":"010211513","name":"FRIENDS OF \\"OAK\\" \\n SCHOOL","city":null,"state":"ME",' +
        '"given":{"records":2,"amount":-1.50},"received":{"records":1,"amount":1000000000000000.01},"match":"words"},\n' +
        '{"ein":"010211513","name":"FRIENDS OF \\"OAK\\" \\n SCHOOL","city":null,"state":"ME","also":"POST 7",' +
        '"given":{"records":2,"amount":-1.50},"received":{"records":1,"amount":1000000000000000.01},"match":"words"},\n',
    );
  });
});
