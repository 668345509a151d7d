// Checks every page in its states with axe-core: WCAG 2.2 A and AA, light and dark; and that no state scrolls sideways.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findTooWide, hasChromium, useSite, widths } from "./browser.fixture.ts";
import { knownOf } from "./known.fixture.ts";
import { type Known, states } from "./states.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Milliseconds for a state; a guard. */
const stateTimeout = 180_000;

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules that depend on colors. */
const colorRules = ["color-contrast", "link-in-text-block"];

/** Declares a test of each state at a width in px; at that of a phone, also that the state fits the narrowest one. */
export function checkStates(width: number): void {
  describe.runIf(hasChromium)(`axe-core, at ${width} px,`, () => {
    const site = useSite({ sampleRows: 5_000 });
    let known: Known;
    beforeAll(async () => {
      known = await knownOf(site().served);
    });

    it.for(states)(
      "finds no violation in the state $name, which never scrolls sideways",
      { timeout: stateTimeout },
      async (state) => {
        const { page, expectClean } = await site().visit(state.path(known), { ...state, width });
        await page.locator("h1").first().waitFor(); // a busy machine may still run the page's script
        await state.reach?.(page);
        await page.evaluate(axe); // through the debugger, which no policy hinders
        expect(await findViolations(page, levels), "light").toStrictEqual([]);
        expect(await findUnnamed(page)).toStrictEqual([]);
        await page.emulateMedia({ colorScheme: "dark" });
        expect(await findViolations(page, colorRules), "dark").toStrictEqual([]);
        await expectClean();
        expect(await findTooWide(page), `at ${width} px`).toStrictEqual([]);
        if (width === widths.phone) {
          await page.setViewportSize({ width: widths.narrow, height: 900 });
          expect(await findTooWide(page), `at ${widths.narrow} px`).toStrictEqual([]);
        }
        await page.context().close();
      },
    );
  });
}

/** Forms without a submit button and fieldsets without a legend, which axe-core does not report. */
function findUnnamed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const forms = [...document.forms].filter(
      ({ elements }) => ![...elements].some((element) => element.matches("button[type=submit]")),
    );
    const fieldsets = [...document.querySelectorAll("fieldset:not(:has(> legend:first-child))")];
    return [...forms, ...fieldsets].map((element) => element.outerHTML.slice(0, 80));
  });
}

type Found = { violations: { id: string; nodes: { target: string[] }[] }[] };

/** Rows of grants are alike: of a thousand, the first thirty are checked. */
async function findViolations(page: Page, rules: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
  const run = `axe.run({ exclude: [["table.grants tbody tr:nth-child(n+31)"]] }, ${options})`;
  const { violations } = (await page.evaluate(run)) as Found;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
