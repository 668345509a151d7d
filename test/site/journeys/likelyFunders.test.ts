// Looks at funders that may give to a recipient for the first time, as a reader does.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { circleRecipient, ungiven, useCircles } from "../../pipeline/likelyFunders.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const warehouse = useCircles();

describe.runIf(hasChromium)("funders to look at", () => {
  const site = useSite(warehouse);

  it("are listed with reasons and what such lists are worth, and as a file", async () => {
    const ein = circleRecipient(3, 4);
    const { page, expectClean } = await site().visit(`/recipient?ein=${ein}`, { allowed: /status of 404/ });
    const section = page.locator("section", {
      has: page.getByRole("heading", { name: "Funders to look at" }),
    });
    await section.waitFor();
    const { data, model } = JSON.parse(await site().served.askText(`/v1/recipients/${ein}/likely-funders`));
    expect(await section.locator("ol > li").count()).toBe(data.length);
    const text = await section.textContent();
    for (const { text: reason, kind } of data[0].reasons)
      if (kind !== "shared_recipients") expect(text).toContain(reason);
    expect(text).toContain(`${Math.round(model.evaluated.hit_at_10 * 100)}% had one among the first ten`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      section.getByText("Download as CSV").click(),
    ]);
    const file = await readFile(await download.path(), "utf8");
    expect(file.split("\r\n").length).toBe(data.length + 2);
    expect(file).toContain(`\r\n${data[0].funder_ein},`);
    await expectClean();
  });

  it("are listed for an organization without grants, by its cause and state alone", async () => {
    const { page, expectClean } = await site().visit(`/recipient?ein=${ungiven.placed}`, {
      allowed: /status of 404/,
    });
    const section = page.locator("section", {
      has: page.getByRole("heading", { name: "Funders to look at" }),
    });
    await section.waitFor();
    expect(await section.textContent()).toContain("so only its cause and state count");
    expect(await section.locator("ol > li").count()).toBe(10);
    await expectClean();
  });
});
