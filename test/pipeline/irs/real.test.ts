// Tests that every grant of real returns is read, against values read by eye from their XML.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Grant, readReturn } from "../../../pipeline/irs/return.ts";

const beside = fileURLToPath(new URL("../../../../shared/data/irs", import.meta.url));
const folder = resolve(process.env.RETURNS_REAL ?? beside);
const isHere = existsSync(folder);
if (!isHere)
  console.log(
    `skipped: the reading of real returns; there are none at "${folder}" (set RETURNS_REAL to another path)`,
  );

type Seen = {
  readonly file: string;
  readonly filer: readonly [ein: string, name: string, form: string, taxYear: number, filedAt: string];
  readonly rows: readonly [organizations: number, individuals: number, paid: number];
  readonly sum: string;
  readonly stated: string | null;
  /** Some grants, by row. */
  readonly grants: Readonly<Record<number, readonly (string | null)[]>>;
};

/** Grants as [recipient, EIN, amount, non-cash amount, what it is, purpose]. */
const seen: readonly Seen[] = [
  {
    file: "stanford.xml",
    filer: [
      "941156365",
      "THE BOARD OF TRUSTEES OF THE LELAND STANFORD JUNIOR UNIVERSITY",
      "990",
      2014,
      "2016-07-15T17:12:56Z",
    ],
    rows: [52, 1, 0],
    sum: "21258200.00",
    stated: "21328000",
    grants: {
      0: ["A BETTER CHANCE", "237173492", "25000", null, null, "GENERAL SUPPORT"],
      52: [null, null, "401194864", null, null, "FINANCIAL AID TO STUDENTS"],
    },
  },
  {
    file: "asu_foundation.xml",
    filer: [
      "866051042",
      "Arizona State University Foundation For A New American University",
      "990",
      2014,
      "2015-11-16T23:14:13Z",
    ],
    rows: [34, 0, 0],
    sum: "72144812.00",
    stated: "72286298",
    grants: {
      0: ["Arizona State University", "860196696", "70519951", null, null, "Program Support"],
      33: ["Western Society of Criminology", "953141516", "8000", null, null, "Community Outreach"],
    },
  },
  {
    file: "icahn_loan.xml",
    filer: [
      "133913393",
      "FOUNDATION FOR A GREATER OPPORTUNITY C/O ICAHN ASSOCIATES HOLDING LLC",
      "990",
      2014,
      "2015-11-13T14:56:31Z",
    ],
    rows: [10, 0, 0],
    sum: "902932.00",
    stated: "907932",
    grants: {
      0: ["CHOATE ROSEMARY HALL", "060910420", "48308", null, null, "SCHOLARSHIPS"],
      9: ["WINGSSWEET HOME CHICAGO", "363456061", "10000", null, null, "AT-RISK GIRLS"],
    },
  },
  {
    file: "jnj_patient_assistance.xml",
    filer: [
      "311520982",
      "JOHNSON & JOHNSON PATIENT ASSISTANCE FOUNDATION INC",
      "990PF",
      2015,
      "2016-10-04T13:49:09Z",
    ],
    rows: [0, 0, 1],
    sum: "662647955.00",
    stated: "662647955",
    grants: {
      0: [
        "VARIOUS NEEDY PATIENTS",
        null,
        "662647955",
        null,
        null,
        "PHARMACEUTICAL PRODUCTS TO NEEDY PATIENTS",
      ],
    },
  },
  {
    file: "2020v4.0__202303329349100200_excerpt.xml",
    filer: ["236299918", "ANDREA MILLS BARBIERI FOUNDATION", "990PF", 2020, "2023-11-28T07:59:31Z"],
    rows: [0, 0, 9],
    sum: "18064.00",
    stated: "18064",
    grants: {
      0: ["Humane Society of Tampa Bay", null, "1000", null, null, "Annual Fund Drive"],
      2: ["Commonwealth Ct Historical Society", null, "4000", null, null, "Alexander Barbieri Award"],
      6: ["Community Food Pantry", null, "1064", null, null, "Annual Fund Drive"],
    },
  },
  {
    file: "2021v4.2__202303319349300220_excerpt.xml",
    filer: ["363177592", "ILLINOIS ARTS ALLIANCE", "990", 2021, "2023-11-27T15:32:14Z"],
    rows: [3, 0, 0],
    sum: "171250.00",
    stated: null,
    grants: {
      0: ["ANDALUSIA LLC 2112 INC", "832720461", "111250", "0", null, "CCE SPONSORSHIP EXPENSES"],
      2: [
        "ALBANY PARK THEATER PROJECT",
        "364125560",
        "10000",
        "0",
        null,
        "2022 CREATIVE YOUTH DEVELOPMENT AWARD",
      ],
    },
  },
  {
    file: "2022v5.0__202303289349100000_excerpt.xml",
    filer: ["852985262", "FOUNDATION 43", "990PF", 2022, "2023-11-21T09:29:27Z"],
    rows: [0, 0, 7],
    sum: "199144.00",
    stated: "199144",
    grants: {
      6: [
        "YWCA OF GREATER AUSTIN",
        null,
        "1000",
        null,
        null,
        "TO SUPPORT ADDRESS AND RAISE AWARENESS OF ISSUES REGARDING MENTAL HEALTH AND OTHER SOCIAL CAUSES",
      ],
    },
  },
  {
    file: "2023v5.1__202403589349300950_excerpt.xml",
    filer: ["741894581", "UCHEALTH NORTHERN COLORADO FOUNDATION", "990", 2023, "2024-12-23T15:44:23Z"],
    rows: [3, 13, 0],
    sum: "4673666.00",
    stated: null,
    grants: {
      0: [
        "MEDICAL CENTER OF THE ROCKIES",
        "043730045",
        "926",
        "5191",
        "MEDICAL EQUIPMENT",
        "VARIOUS PROGRAM SUPPORT",
      ],
      1: [
        "POUDRE VALLEY HEALTH CARE INC PVH CAMPAIGN",
        "841262971",
        "0",
        "4650000",
        "BUILDING CAPITAL IMPROVEMENT",
        "VARIOUS PROGRAM SUPPORT",
      ],
      8: [null, null, "37695", null, null, "CHILDREN'S BICYCLE HELMETS & CAR SEATS"],
    },
  },
  {
    file: "propublica.xml",
    filer: ["142007220", "PRO PUBLICA INC", "990", 2015, "2016-08-11T16:06:06Z"],
    rows: [0, 0, 0],
    sum: "0.00",
    stated: null,
    grants: {},
  },
  {
    file: "union.xml",
    filer: ["237036033", "ENGINEERS UNION LOCAL 444 IUE-CWA AFL-CIO", "990", 2014, "2015-12-21T16:12:59Z"],
    rows: [0, 0, 0],
    sum: "0.00",
    stated: null,
    grants: {},
  },
];

const placeOf = ({ recipientCity, recipientState, recipientZip, recipientCountry }: Grant) => [
  ...[recipientCity, recipientState, recipientZip, recipientCountry],
];

const readText = (xml: string, name: string) =>
  new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1]?.replaceAll("&amp;", "&") ?? null;

/** The first ten places, as people read them. */
const places: Readonly<Record<string, readonly string[]>> = {
  "stanford.xml": [
    ...["NEW YORK NY 10001", "NEW YORK NY 10150", "WASHINGTON DC 20036", "SAN FRANCISCO CA 94103"],
    ...["SAN JOSE CA 94103", "WASHINGTON DC 20005", "SANTA MONICA CA 90405", "ALBUQUERQUE NM 87192"],
    ...["NEW YORK NY 10018", "SAN LUIS OBISPO CA 93407"],
  ],
  "2020v4.0__202303329349100200_excerpt.xml": [
    ...["Tampa FL 33607", "Indianapolis IN 46268", "Harrisburg PA 17101", "Tampa FL 33618"],
    ...[
      "Malvern PA 19355",
      "Conshohocken PA 19428",
      "Tampa FL 33618",
      "Philadelphia PA 19106",
      "Tampa FL 33685",
    ],
  ],
  "2022v5.0__202303289349100000_excerpt.xml": [
    ...["WEST HOLLYWOOD CA 90069", "NEW YORK NY 10065", "ARDMORE PA 19003", "WASHINGTON DC 20009"],
    ...["RICHMOND CA 94805", "MT VERNON ME 04352", "AUSTIN TX 78741"],
  ],
  "2023v5.1__202403589349300950_excerpt.xml": [
    ...["FORT COLLINS CO 80528", "FORT COLLINS CO 80528", "GREELEY CO 80634"],
  ],
};

/** Revenue, expenses, assets, grants paid, and how the mission starts. */
const finances: Readonly<Record<string, readonly (string | null)[]>> = {
  "stanford.xml": ["6035405120", "5050927315", "36213882456", "430681530", "STANFORD UNIVERSITY "],
  "jnj_patient_assistance.xml": ["682297426", "688329126", "62735923", "662647955", null],
  "union.xml": ["228081", "178808", "2628782", "0", "LABOR UNION"],
  "2023v5.1__202403589349300950_excerpt.xml": [null, null, null, null, null],
};

describe.runIf(isHere)("a real return", () => {
  it.each(seen)("has the values people read in it: $file", ({ file, filer, rows, sum, stated, grants }) => {
    const found = readReturn(readFileSync(resolve(folder, file)));
    expect([found.ein, found.name, found.form, found.taxYear, found.filedAt]).toEqual(filer);
    const counts = ["Schedule I", "Schedule I individuals", "990-PF"].map(
      (type) => found.grants.filter((grant) => grant.type === type).length,
    );
    expect(counts).toEqual(rows);
    expect(found.paidTotal).toBe(sum);
    expect(found.statedTotal).toBe(stated);
    for (const [row, values] of Object.entries(grants)) {
      const grant = found.grants.find((one) => one.row === Number(row));
      expect([
        grant?.recipientName,
        grant?.recipientEin,
        grant?.amount,
        grant?.nonCashAmount,
        grant?.nonCashDescription,
        grant?.purpose,
      ]).toEqual(values);
    }
    expect(found.oddities).toEqual([]);
  });

  it.each(seen)("has as many rows as its text has grant elements: $file", ({ file }) => {
    const xml = readFileSync(resolve(folder, file), "utf8");
    const elements = xml.match(
      /<(RecipientTable|GrantsOtherAsstToIndivInUSGrp|GrantsToOrgOutsideUSGrp|GrantOrContributionPdDurYrGrp)>/g,
    );
    expect(readReturn(Buffer.from(xml)).grants.length).toBe(elements?.length ?? 0);
  });

  it.each(seen)("has the place of each recipient that its text has: $file", ({ file }) => {
    const xml = readFileSync(resolve(folder, file), "utf8");
    const rows = xml.matchAll(/<(RecipientTable|GrantOrContributionPdDurYrGrp)>(.*?)<\/\1>/gs);
    const expected = [...rows].map(([, , row = ""]) =>
      ["CityNm", "StateAbbreviationCd", "ZIPCd", "CountryCd"].map((name) => readText(row, name)),
    );
    const { grants } = readReturn(Buffer.from(xml));
    const named = grants.filter(({ type }) => type === "Schedule I" || type === "990-PF");
    expect(named.map(placeOf)).toEqual(expected);
    for (const grant of named)
      if (grant.recipientCountry === null) expect(placeOf(grant)[2]).toMatch(/^\d{5}/);
  });

  it.each(Object.entries(places))("has the places that people read in it: %s", (file, expected) => {
    const { grants } = readReturn(readFileSync(resolve(folder, file)));
    const named = grants.filter(({ recipientCity }) => recipientCity !== null);
    expect(named.slice(0, 10).map((grant) => placeOf(grant).join(" ").trim())).toEqual(expected);
  });

  it.each(Object.entries(finances))("has the finances that people read in it: %s", (file, expected) => {
    const { finances } = readReturn(readFileSync(resolve(folder, file)));
    const { revenue, expenses, assets, grantsPaid, mission } = finances;
    expect([revenue, expenses, assets, grantsPaid, mission?.slice(0, 20) ?? null]).toEqual(expected);
  });

  it("has the rows of Schedule F after all others, by region", () => {
    const { grants } = readReturn(readFileSync(resolve(folder, "stanford.xml")));
    const foreign = grants.filter(({ type }) => type === "Schedule F");
    expect(foreign.map(({ row }) => row)).toEqual(foreign.map((_, index) => 53 + index));
    const { recipientName, recipientCountry, amount, purpose } = foreign[2] as Grant;
    expect([recipientName, recipientCountry, amount, purpose]).toEqual([
      null,
      "MIDDLE EAST & NORTH AFRICA",
      "142867",
      "RESEARCH SUB",
    ]);
  });

  it.each(seen)("is read the same by the complete parser: $file", ({ file }) => {
    const xml = readFileSync(resolve(folder, file), "utf8");
    expect(readReturn(Buffer.from(xml.replace("</ReturnHeader>", "</ReturnHeader><!-- -->")))).toEqual(
      readReturn(Buffer.from(xml)),
    );
  });
});
