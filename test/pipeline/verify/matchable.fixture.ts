// Gives tests of verification a release with likely recipients, and copies of it that they may damage.
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll } from "vitest";
import { writeMatchable } from "../matches.fixture.ts";
import { syncHere } from "../trust.fixture.ts";
import type { useFolder } from "../warehouse/warehouse.fixture.ts";

/** Makes the release before the tests of the file. `copy` copies it into the folder of the test. */
export function useMatchable(folder: ReturnType<typeof useFolder>) {
  let whole = "";
  beforeAll(async () => {
    const home = folder.home; // each test has another one
    await writeMatchable(join(home, "w"));
    whole = await syncHere(join(home, "w"), join(home, "data"), { DOWNLOADS: "0" });
  });
  return {
    get whole(): string {
      return whole;
    },
    async copy(): Promise<string> {
      const copy = join(folder.home, "release");
      await cp(whole, copy, { recursive: true, verbatimSymlinks: true });
      return copy;
    },
  };
}
