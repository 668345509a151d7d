// Tests the public addresses of returns.
import { expect, it } from "vitest";
import { findReturnHrefs } from "../../../site/src/text/returns.ts";

it.each([
  ["2023_TEOS_XML_11A.zip", "https://apps.irs.gov/pub/epostcard/990/xml/2023/2023_TEOS_XML_11A.zip"],
  ["download990xml_2020_1.zip", "https://apps.irs.gov/pub/epostcard/990/xml/2020/download990xml_2020_1.zip"],
  ["mine.zip", undefined],
  [null, undefined],
])("a return in %s is at ProPublica and at the IRS", (zip, irs) => {
  expect(findReturnHrefs("010211513", { object_id: "202303329349100200", zip })).toStrictEqual({
    propublica: "https://projects.propublica.org/nonprofits/organizations/10211513/202303329349100200/full",
    irs,
  });
});
