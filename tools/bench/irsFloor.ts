// Decompresses every member of a zip and nothing else: the floor of an import. Its arguments are the zips.
import { closeSync, fstatSync, openSync } from "node:fs";
import { readBytes, readDirectory } from "../../pipeline/irs/zipDirectory.ts";
import { readMember } from "../../pipeline/irs/zipMember.ts";

const headerBytes = 300;

for (const path of process.argv.slice(2)) {
  const file = openSync(path, "r");
  const { members, start } = readDirectory(file, fstatSync(file).size);
  for (const member of members) {
    const bytes = Math.min(member.compressedSize + headerBytes, start - member.offset);
    readMember(member, readBytes(file, member.offset, bytes));
  }
  closeSync(file);
}
