// Checks every page in its states with axe-core: WCAG 2.2 A and AA, light and dark, desktop and phone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import { hasChromium, type Scheme, useSite, widths } from "./browser.fixture.ts";
import { knownOf } from "./known.fixture.ts";
import { type Known, states } from "./states.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Milliseconds for a state in its four looks. */
const stateTimeout = 180_000;

/** Rows of grants are alike: of a thousand, the first thirty are checked. */
const run = `axe.run({ exclude: [["table.grants tbody tr:nth-child(n+31)"]] }, {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
})`;

type Found = { violations: { id: string; nodes: { target: string[] }[] }[] };

describe.runIf(hasChromium)("axe-core", () => {
  const site = useSite({ sampleRows: 5_000 });
  let known: Known;
  beforeAll(async () => {
    known = await knownOf(site().served);
  });
  const looks = (["light", "dark"] as readonly Scheme[]).flatMap((scheme) =>
    [widths.desktop, widths.phone].map((width) => ({ scheme, width })),
  );

  it.for(states)("finds no violation in the state $name", { timeout: stateTimeout }, async (state) => {
    for (const look of looks) {
      const { page, expectClean } = await site().visit(state.path(known), { ...state, ...look });
      await state.reach?.(page);
      await page.evaluate(axe); // through the debugger, which no policy hinders
      const { violations } = (await page.evaluate(run)) as Found;
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
      );
      expect(found, `${state.name}, ${look.scheme}, ${look.width} px`).toStrictEqual([]);
      await expectClean();
      await page.context().close();
    }
  });
});
