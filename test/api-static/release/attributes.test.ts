// Tests that the documentation of the index lists every attribute, with its orders.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { attributes } from "../../../api-static/release/attributes.ts";

it("documents each attribute with its orders", async () => {
  const text = await readFile(new URL("../../../docs/text-index.md", import.meta.url), "utf8");
  const expected = attributes.map(
    ({ name, about, orders }) =>
      `- \`${name}\` (${orders.map((order) => `\`${order}\``).join(", ")}): ${about}\n`,
  );
  expect(text).toContain(`\n\n${expected.join("")}\n`);
});
