// Tests that everything in a source that cannot be read is named.
import { execFileSync } from "node:child_process";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSource } from "../../../pipeline/irs/members.ts";
import { memberBytesMax } from "../../../pipeline/irs/zipMember.ts";
import { isInstalled } from "../../programs.ts";
import { useFolder } from "../warehouse/warehouse.fixture.ts";
import {
  importHere,
  importWell,
  member,
  memberName,
  objectId,
  putZip,
  readStatuses,
} from "./season.fixture.ts";
import { formatZip } from "./zips.fixture.ts";

const folder = useFolder();

const text = (name: string) => ({ name, content: Buffer.from(name) });

/** The names of the files that a source reads, the problems of others, and those that its directory shows. */
function readAll(paths: readonly string[], isZip: boolean) {
  const source = openSource({ paths, isZip });
  try {
    const members = Array.from({ length: source.blocks }, (_, block) => [...source.read(block)]).flat();
    const read = members.map(({ name, content }) => (content instanceof Error ? content.message : name));
    return { read, losses: source.losses.map(({ file, problem }) => `${file}: ${problem}`) };
  } finally {
    source.close();
  }
}

const inner = { name: "more/inner.ZIP", content: formatZip([text("b.xml")]) };

describe("a zip", () => {
  it.each([
    [
      "zips inside",
      [text("a.xml"), inner],
      ["a.xml"],
      ["more/inner.ZIP: it is a zip inside a zip; unpack the outer one"],
    ],
    ["nothing", [], [], ["(whole zip): the zip is empty; download it again"]],
    [
      "no XML",
      [text("a.csv"), text("b.csv")],
      [],
      ["(whole zip): the zip has no XML file; check what it is"],
    ],
    ["files of macOS", [text("a.xml"), text("__MACOSX/._a.xml"), text("__MACOSX/._a.zip")], ["a.xml"], []],
    [
      "an encrypted return",
      [{ ...text("a.xml"), isEncrypted: true }, text("b.xml"), { ...text("notes.txt"), isEncrypted: true }],
      ["b.xml"],
      ["a.xml: it is encrypted; unpack the zip with its password, and import the files"],
    ],
  ])("with %s names what is lost", (_, entries, read, losses) => {
    expect(readAll([putZip(folder.home, "a.zip", entries)], true)).toEqual({ read, losses });
  });

  const methods = ["-mm=BZip2", "-mm=LZMA", "-psecret", "-psecret -mem=AES256", "-mm=Deflate"];
  it.runIf(isInstalled("7z", "the zips of 7-Zip that cannot be read")).each(methods)(
    "of 7-Zip is read, or names what is lost: %s",
    async (options) => {
      await writeFile(join(folder.home, "a.xml"), "text ".repeat(1_000));
      const path = join(folder.home, "a.zip");
      execFileSync("7z", ["a", "-tzip", ...options.split(" "), path, "a.xml"], { cwd: folder.home });
      const { read, losses } = readAll([path], true);
      if (options === "-mm=Deflate") expect({ read, losses }).toEqual({ read: ["a.xml"], losses: [] });
      else expect({ read, losses }).toEqual({ read: [], losses: [expect.stringMatching(/unpack the zip/)] });
    },
  );
});

describe("a loose file", () => {
  it("beyond the limit is not read", async () => {
    const [small, large] = [join(folder.home, "a.xml"), join(folder.home, "b.xml")];
    await writeFile(small, "<Return/>");
    await writeFile(large, "");
    await truncate(large, memberBytesMax + 1);
    const problem = `it has ${memberBytesMax + 1} bytes; the limit is ${memberBytesMax}`;
    expect(readAll([small, large], false)).toEqual({ read: ["a.xml", problem], losses: [] });
  });
});

describe("an import", () => {
  it("goes on without what is lost, and counts it; gives the reasons if nothing is left", async () => {
    putZip(folder.home, "nested.zip", [inner, { ...inner, name: "other.zip" }]);
    putZip(folder.home, "empty.zip", []);
    const out = join(folder.home, "warehouse");
    const { code, stderr } = await importHere(folder.home, out);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/no return there has grants.*2 with "it is a zip inside a zip;/),
    ]);
    putZip(folder.home, "good.zip", [member(objectId(1, 1))]);
    const { stdout } = await importWell(`${folder.home}/*.zip`, out);
    expect(stdout).toContain("Unreadable (3 not found elsewhere)");
    expect(await readStatuses(out)).toEqual({
      [memberName(objectId(1, 1))]: "counts",
      "inner.ZIP": "unreadable",
      "other.zip": "unreadable",
      "(whole zip)": "unreadable",
    });
  });
});
