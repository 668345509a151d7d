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

/**
 * Declares a test of every second state. Half of them open at the width of a phone, the others at that of a desktop; each is checked there,
 * and at the other width, which the window then gets.
 * @param opened the width at which these states open, in px
 */
export function checkStates(opened: typeof widths.desktop | typeof widths.phone): void {
  const isPhone = opened === widths.phone;
  const mine = states.filter((_, index) => (index % 2 === 0) === isPhone);
  describe.runIf(hasChromium)(`axe-core, opened at ${opened} px,`, () => {
    const site = useSite({ sampleRows: 5_000 });
    let known: Known;
    beforeAll(async () => {
      known = await knownOf(site().served);
    });

    it.for(mine)(
      "finds no violation in the state $name, which never scrolls sideways, at the widths of a phone and of a desktop",
      { timeout: stateTimeout },
      async (state) => {
        const { page, expectClean } = await site().visit(state.path(known), { ...state, width: opened });
        await page.locator("h1").first().waitFor(); // a busy machine may still run the page's script
        await state.reach?.(page);
        await page.evaluate(axe); // through the debugger, which no policy hinders
        await expectAccessible(page, opened);
        await expectColors(page, opened);
        await expectClean();
        await resize(page, isPhone ? widths.desktop : widths.phone);
        await expectAccessible(page, isPhone ? widths.desktop : widths.phone);
        await resize(page, widths.narrow);
        expect(await findTooWide(page), `at ${widths.narrow} px`).toStrictEqual([]);
        await page.context().close();
      },
    );
  });
}

async function expectAccessible(page: Page, width: number): Promise<void> {
  expect(await findViolations(page, levels, colorRules), `at ${width} px`).toStrictEqual([]);
  expect(await findUnnamed(page)).toStrictEqual([]);
  expect(await findTooWide(page), `at ${width} px`).toStrictEqual([]);
}

/** Colors do not depend on the width, and take most of the time: they are checked at one. */
async function expectColors(page: Page, width: number): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await findViolations(page, colorRules), `${colorScheme}, at ${width} px`).toStrictEqual([]);
  }
}

/** Gives the window another width, and waits until the page has drawn itself in it: parts follow the width after a frame. */
async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
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
async function findViolations(
  page: Page,
  runOnly: readonly string[],
  omitted: readonly string[] = [],
): Promise<string[]> {
  const rules = Object.fromEntries(omitted.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ runOnly, rules, resultTypes: ["violations"] });
  const run = `axe.run({ exclude: [["table.grants tbody tr:nth-child(n+31)"]] }, ${options})`;
  const { violations } = (await page.evaluate(run)) as Found;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
