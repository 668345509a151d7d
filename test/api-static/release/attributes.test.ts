// Tests that the documentation of the index lists every attribute, with its orders.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { attributes } from "../../../api-static/release/attributes.ts";

it("documents each attribute with its orders", async () => {
  const text = await readFile(new URL("../../../docs/text-index.md", import.meta.url), "utf8");
  const [table = ""] = /(?<=\| Attribute .*\n.*\n)(?:\|.*\n)+/.exec(text) ?? [];
  const expected = attributes.map(
    ({ name, about, orders }) =>
      `| \`${name}\` | ${about} | ${orders.map((order) => `\`${order}\``).join(", ")} |\n`,
  );
  expect(table).toBe(expected.join(""));
});
