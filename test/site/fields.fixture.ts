// Fills in the fields of filters as people do, with a key for each change.
import type { Page } from "playwright-core";

/** Sets a field of a form of filters, and waits for the address. @param name a parameter, e.g., "min_year" */
export async function setFilter(page: Page, name: string, value: string): Promise<void> {
  const field = page.locator(`#filter-${name}`);
  const more = page.getByRole("button", { name: "More filters" });
  if ((await field.count()) === 0) await more.click();
  if (/year|sort/.test(name)) {
    await field.press("Shift"); // people use a key or a click, after which a page may move; selectOption does neither
    await field.selectOption(value);
  } else {
    await field.fill(value);
    await field.press("Enter");
  }
  await page.waitForURL(({ searchParams }) =>
    [...searchParams.keys()].some((key) => key === name || key === "transaction_year"),
  );
}
