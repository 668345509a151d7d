// Tests the order of the site's files among the tables of a release.
import { expect, it } from "vitest";
import { listSiteRows } from "../../../pipeline/releases/tables.ts";

it("lists the files that the site's pages load before these pages, and no other parts", () => {
  const paths = ["funders", "public/about.html", "public/assets/a.html", "public/icon.svg", "records"];
  const sealed = Object.fromEntries(paths.map((path) => [path, { bytes: 1, sha256: "0a" }]));
  expect(listSiteRows(sealed)).toEqual(
    ["assets/a.html", "icon.svg", "about.html"].map((key) => [key, Buffer.from([10])]),
  );
});
