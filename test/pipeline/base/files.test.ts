// Tests files and folders in the cases that `node:fs` alone does not handle.
import { type linkSync, readFileSync } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linkOrCopy } from "../../../pipeline/base/files.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();

/** A file system that refuses links with an error. */
const refuseWith =
  (code: string): typeof linkSync =>
  () => {
    throw Object.assign(new Error(`${code}: operation not permitted, link`), { code, syscall: "link" });
  };

describe("a link", () => {
  it("is one file with two names", async () => {
    const [from, to] = [join(folder.home, "from"), join(folder.home, "to")];
    await writeFile(from, "page");
    linkOrCopy(from, to);
    expect((await stat(to)).ino).toBe((await stat(from)).ino);
  });

  it.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EXDEV", "EMLINK"])(
    "becomes a copy if the file system refuses it with %s",
    async (code) => {
      const [from, to] = [join(folder.home, "from"), join(folder.home, "to")];
      await writeFile(from, "page");
      linkOrCopy(from, to, refuseWith(code));
      expect(readFileSync(to, "utf8")).toBe("page");
    },
  );

  it("fails if the folder cannot be written, or there is no such file", async () => {
    const [from, to] = [join(folder.home, "from"), join(folder.home, "to")];
    expect(() => linkOrCopy(from, to)).toThrow("ENOENT");
    expect(() => linkOrCopy(from, to, refuseWith("EACCES"))).toThrow("EACCES");
  });
});
