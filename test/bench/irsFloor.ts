// Decompresses every member of a zip and nothing else: the floor of an import. Its argument is the zip.
import { closeSync, fstatSync, openSync } from "node:fs";
import { readBytes, readDirectory } from "../../pipeline/irs/zipDirectory.ts";
import { readMember } from "../../pipeline/irs/zipMember.ts";

const headerBytes = 300;

const file = openSync(process.argv[2] ?? "", "r");
const { members, start } = readDirectory(file, fstatSync(file).size);
for (const member of members) {
  const bytes = Math.min(member.compressedSize + headerBytes, start - member.offset);
  readMember(member, readBytes(file, member.offset, bytes));
}
closeSync(file);
