// Tests the fingerprints of files, and the messages for files that are not valid.
import { execFileSync } from "node:child_process";
import { chmod, mkdir, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InputError } from "../../../pipeline/base/failure.ts";
import { findFiles } from "../../../pipeline/warehouse/files.ts";
import { fingerprintFile, fingerprintFiles } from "../../../pipeline/warehouse/fingerprint.ts";
import { useFolder } from "./warehouse.fixture.ts";

const folder = useFolder();

/** Bytes with the frame of a Parquet file. These tests do not read the contents of the footer. */
function parquet(data: string, footer: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(Buffer.byteLength(footer));
  return Buffer.concat([Buffer.from(`PAR1${data}${footer}`), length, Buffer.from("PAR1")]);
}

describe("fingerprintFile", () => {
  it("returns size, time and footer", async () => {
    const path = join(folder.home, "a.parquet");
    await writeFile(path, parquet("data", "footer"));
    await utimes(path, 1_600_000_000, 1_600_000_000.25);
    expect(await fingerprintFile(path)).toEqual({
      bytes: 22,
      modifiedAt: "2020-09-13T12:26:40.250Z",
      footer: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("depends on the footer, not on the data", async () => {
    const contents = [parquet("data", "footer"), parquet("DATA", "footer"), parquet("data", "fOOter")];
    const footers = contents.map(async (content, index) => {
      await writeFile(join(folder.home, String(index)), content);
      return (await fingerprintFile(join(folder.home, String(index)))).footer;
    });
    const [plain, otherData, otherFooter] = await Promise.all(footers);
    expect(otherData).toBe(plain);
    expect(otherFooter).not.toBe(plain);
  });

  it("reads a footer longer than one read", async () => {
    const path = join(folder.home, "a.parquet");
    await writeFile(path, parquet("", "f".repeat(2_500_000)));
    const { footer } = await fingerprintFile(path);
    await writeFile(path, parquet("", `${"f".repeat(2_499_999)}g`));
    expect((await fingerprintFile(path)).footer).not.toBe(footer);
  });

  it("refuses a file truncated at any place", async () => {
    const whole = parquet("some data", "and a footer");
    const path = join(folder.home, "a.parquet");
    await writeFile(path, whole);
    for (let bytes = whole.length - 1; bytes >= 0; bytes -= 1) {
      await truncate(path, bytes);
      const expected = bytes === 0 ? /is empty/ : bytes < 4 ? /is not a Parquet file/ : /is truncated/;
      expect(await folder.refusal(fingerprintFile(path))).toMatch(expected);
    }
  });

  it.each([
    ["id,amount\n1,2\n", '"/x" is not a Parquet file: it does not start with "PAR1"'],
    ["dataPAR1", '"/x" is not a Parquet file: it does not start with "PAR1"'],
    ["PAREdata footer\x08\0\0\0PARE", '"/x" is encrypted; expected plain Parquet'],
    ["PAR1data\x00\0\0\0PAR1", '"/x" is damaged: it has 16 bytes but claims a footer of 0 bytes'],
    ["PAR1data\x05\0\0\0PAR1", '"/x" is damaged: it has 16 bytes but claims a footer of 5 bytes'],
    ["PAR1\x7f\x7f\x7f\x7fPAR1", '"/x" is damaged: it has 12 bytes but claims a footer of 2139062143 bytes'],
  ])("refuses %j", async (content, message) => {
    await writeFile(join(folder.home, "x"), content);
    expect(await folder.refusal(fingerprintFile(join(folder.home, "x")))).toBe(message);
  });

  it("accepts a footer that fills the file", async () => {
    await writeFile(join(folder.home, "x"), "PAR1data\x04\0\0\0PAR1");
    expect((await fingerprintFile(join(folder.home, "x"))).bytes).toBe(16);
  });

  it("names a path that is missing or not a file", async () => {
    execFileSync("mkfifo", [join(folder.home, "pipe.parquet")]);
    await symlink("gone", join(folder.home, "link.parquet"));
    const names = ["none", "link.parquet", "", "pipe.parquet"];
    const refusals = await fingerprintFiles(names.map((name) => join(folder.home, name)));
    expect(
      refusals.map((found) => (found instanceof InputError ? found.message.replaceAll(folder.home, "") : "")),
    ).toEqual([
      '"/none" cannot be read: it does not exist, or is a link to a missing file',
      '"/link.parquet" cannot be read: it does not exist, or is a link to a missing file',
      '"" is not a regular file',
      '"/pipe.parquet" is not a regular file',
    ]);
  });

  it("names a file and a folder without permission", async (context) => {
    await mkdir(join(folder.home, "folder"));
    await writeFile(join(folder.home, "a.parquet"), parquet("data", "footer"));
    await chmod(folder.root, 0o755);
    await chmod(join(folder.home, "a.parquet"), 0);
    await chmod(join(folder.home, "folder"), 0);
    // Permissions do not apply to root.
    const isRoot = process.geteuid?.() === 0;
    try {
      if (isRoot) process.seteuid?.(65_534);
    } catch {
      context.skip("root is not allowed to become another user here");
    }
    try {
      const refused = "cannot be read: permission denied";
      expect(await folder.refusal(fingerprintFile(join(folder.home, "a.parquet")))).toBe(
        `"/a.parquet" ${refused}`,
      );
      expect(await folder.refusal(findFiles(folder.home))).toBe(`"/folder" ${refused}`);
      expect(await folder.refusal(findFiles(join(folder.home, "folder/a.parquet")))).toBe(
        `"/folder/a.parquet" ${refused}`,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(folder.home, "folder"), 0o755);
    }
  });
});
