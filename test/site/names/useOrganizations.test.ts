// Tests which text is asked as a name, and when Enter takes an organization of that name.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Status } from "../../../site/src/api/client.ts";
import { findNamed, isNamed, nameToAsk } from "../../../site/src/names/useOrganizations.ts";
import { flintridge, organization, withoutGrants } from "./organizations.fixture.ts";

afterEach(() => vi.unstubAllGlobals());

describe("the name to ask", () => {
  it("is the text in small letters with one space between words, so that equal names have one URL", () => {
    for (const text of ["Saint Mary", " SAINT  mary ", "saint\u00A0\tMary"])
      expect(nameToAsk(text)).toBe("saint mary");
    expect(nameToAsk("CAFE\u0301")).toBe("caf\u00E9");
  });

  it("is an EIN without its hyphen", () => {
    expect(nameToAsk("20-0253310")).toBe("200253310");
  });

  it("has two letters or more, and is as long as the API accepts", () => {
    for (const text of ["", " ", "a", "é ", "&&", "12", "20-02"])
      expect(nameToAsk(text), text).toBeUndefined();
    expect(nameToAsk("3M")).toBe("3m");
    expect(nameToAsk("a".repeat(300))).toHaveLength(200);
  });
});

describe("a whole name", () => {
  it("has several words, matches exactly, and is of an organization with grants", () => {
    const exact = organization({ match: "exact" });
    expect(isNamed("pasadena community foundation", exact)).toBe(true);
    expect(isNamed("flintridge school", { ...flintridge, match: "exact" })).toBe(true);
    expect(isNamed("pasadena", exact)).toBe(false);
    expect(isNamed("pasadena community", organization({ match: "prefix" }))).toBe(false);
    expect(isNamed("quiet fund", { ...withoutGrants, match: "exact" })).toBe(false);
  });

  it("is looked for by the API, once, only if the release has a list", async () => {
    const asked: string[] = [];
    const used = async () => false;
    const exact = organization({ match: "exact" });
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      return Response.json({ success: true, data: [withoutGrants, exact], total: 2 });
    });
    const [listed, unlisted] = [{ organizations: 5 }, { organizations: 0 }] as Status[];
    expect(await findNamed("Pasadena  Community", listed, used)).toStrictEqual(exact);
    expect(asked).toStrictEqual(["/v1/organizations?name=pasadena+community&limit=6"]);
    expect(await findNamed("pasadena", listed, used)).toBeUndefined();
    expect(await findNamed("Pasadena Community", unlisted, used)).toBeUndefined();
    expect(await findNamed("Pasadena Community", undefined, used)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it("of one word opens the only organization with grants that has it, if no search finds the word", async () => {
    const prefix = organization({ match: "prefix" });
    const listed = { organizations: 5 } as Status;
    const find = (isUnused: boolean, ...data: readonly unknown[]) => {
      vi.stubGlobal("fetch", async () => Response.json({ success: true, data, total: data.length }));
      return findNamed("pasadena", listed, async () => isUnused);
    };
    expect(await find(true, withoutGrants, prefix)).toStrictEqual(prefix);
    expect(await find(false, withoutGrants, prefix)).toBeUndefined();
    expect(await find(true, prefix, flintridge)).toBeUndefined();
    expect(await find(true, organization({ match: "typo" }))).toBeUndefined();
    expect(await find(true, withoutGrants)).toBeUndefined();
  });

  it("is not found if the call fails", async () => {
    vi.stubGlobal("fetch", async () =>
      Response.json({ success: false, code: "overloaded" }, { status: 503 }),
    );
    const find = findNamed("Pasadena Community", { organizations: 5 } as Status, async () => true);
    expect(await find).toBeUndefined();
  });
});
