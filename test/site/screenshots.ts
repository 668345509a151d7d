// Writes a picture of every page of the site in its states, in both widths and themes. `make screenshots` runs it.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { repository } from "../api-static/server/release.fixture.ts";
import { hasRealWarehouse, realWarehouse } from "../realWarehouse.ts";
import { hasChromium, type Scheme, useSite, widths } from "./browser.fixture.ts";
import { knownOf } from "./known.fixture.ts";
import { type Known, states } from "./states.ts";

/** Not under version control. */
const folder = join(repository, "screenshots");

/** Milliseconds until transitions of a page have ended. */
const stillAfter = 300;

const releases = [
  { name: "sample", source: { onlySampleRows: 50_000 }, words: { word: "food", emptyYear: 2025 } },
  ...(hasRealWarehouse("screenshots")
    ? [{ name: "real", source: { warehouse: realWarehouse }, words: { word: "food", emptyYear: 2020 } }]
    : []),
];
const schemes: readonly Scheme[] = ["light", "dark"];

if (!hasChromium)
  throw new Error("screenshots need Chromium: install it, e.g., with apt-get install chromium");

describe.each(releases)("$name", ({ name, source, words }) => {
  const site = useSite(source);
  let known: Known;
  beforeAll(async () => {
    await rm(join(folder, name), { recursive: true, force: true });
    known = { ...(await knownOf(site().served)), ...words };
  });

  it.for(states)("$name", async (state) => {
    for (const width of [widths.desktop, widths.phone]) {
      const { page } = await site().visit(state.path(known), { ...state, width });
      await state.reach?.(page);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(stillAfter);
        const path = join(folder, name, `${state.name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
      await page.context().close();
    }
  });
});
