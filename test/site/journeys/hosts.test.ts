// Opens the site where there is no server of ours: a static host shows funders' pages, and says what it cannot do.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repository } from "../../api-static/server/release.fixture.ts";
import { findPort, until } from "../../api-static/server/socket.fixture.ts";
import { hasChromium, useSite } from "../browser.fixture.ts";

const missing = /status of 404/;

describe.runIf(hasChromium)("on a static host", () => {
  const site = useSite({ sampleRows: 1_000 });
  let host: ChildProcess | undefined;
  let origin = "";

  beforeAll(async () => {
    const port = await findPort();
    const settings = [`DATA=${site().served.data}`, "HOST=127.0.0.1", `PORT=${port}`];
    host = spawn("make", ["-s", "-o", "node_modules/.package-lock.json", "preview", ...settings], {
      cwd: repository,
      stdio: "ignore",
    });
    origin = `http://127.0.0.1:${port}`;
    await until(() => fetch(origin).catch(() => undefined));
  });

  afterAll(async () => {
    const ended = host === undefined ? undefined : once(host, "exit");
    host?.kill();
    await ended;
  });

  it("a funder's page lists its grants, and says that totals are missing", async () => {
    const { ein, records } = site().served.facts.big;
    const { page, expectClean } = await site().visit(`${origin}/funder?ein=${ein}`, { allowed: missing });
    await page.waitForSelector("table.grants");
    expect(await page.locator("table.grants tbody tr").count()).toBe(Math.min(100, records));
    expect(await page.locator("main").textContent()).toContain("static copy");
    await expectClean();
  });

  it("the search page says that there is no search, and has no box that does nothing", async () => {
    const { page } = await site().visit(`${origin}/?purpose=unusual`, { allowed: missing });
    await page.getByText("static copy").first().waitFor();
    expect(await page.locator("#box").isDisabled()).toBe(true);
  });

  it("the API guide is whole", async () => {
    const { page, expectClean } = await site().visit(`${origin}/docs`, { allowed: missing });
    expect(await page.locator("main").textContent()).toContain("/v1/history");
    await expectClean();
  });
});
