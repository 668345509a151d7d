// Reads the members of a source in blocks that worker threads share.
import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { crc32 } from "node:zlib";
import { InputError } from "../base/failure.ts";
import { readBytes, readDirectory, type ZipDirectory, ZipError, type ZipMember } from "./zipDirectory.ts";
import { findObstacle, MemberError, memberBytesMax, readMember } from "./zipMember.ts";

/** A file of a source: its name, its position among all files, and its content or why it cannot be read. */
export type Member = {
  readonly name: string;
  readonly index: number;
  readonly content: Buffer | MemberError;
  /** CRC of the content; 0 if it cannot be read. */
  readonly crc32: number;
};

/** A file that is in no block, and why: the directory of its zip shows that it cannot be read. */
export type Loss = { readonly file: string; readonly problem: string };

/** A source whose blocks can be read in any order. */
export type OpenSource = {
  readonly blocks: number;
  readonly losses: readonly Loss[];
  /** Bytes of a block in the source. */
  bytesOf(block: number): number;
  read(block: number): Iterable<Member>;
  close(): void;
};

/** Bytes of a block in the source: one read. At the end of an import, threads wait for the last blocks, so they are small. */
const blockBytes = 1 << 20;
/** Longest local header: its name and extra field have at most 65,535 bytes each. */
const maxHeaderBytes = 30 + 2 * 65_535;

/** The files of a source: one zip, or loose ones. */
type SourceFiles = { readonly isZip: boolean; readonly paths: readonly string[] };

/** @throws InputError if it is a zip without a readable directory */
export function openSource({ isZip, paths }: SourceFiles): OpenSource {
  return isZip ? openZip(paths[0] ?? "") : openFiles(paths);
}

/** A range of members whose bytes lie together. */
type Block = { readonly first: number; readonly end: number; readonly start: number; readonly bytes: number };

/** @throws InputError that names the zip if its directory cannot be read */
export function openZip(path: string): OpenSource {
  const file = openSync(path, "r");
  try {
    const directory = readDirectory(file, fstatSync(file).size);
    const members = directory.members
      .filter((member) => isReturn(member) && findObstacle(member) === undefined)
      .sort((a, b) => a.offset - b.offset);
    const blocks = planBlocks(members, directory.start);
    return {
      blocks: blocks.length,
      losses: findLosses(directory),
      bytesOf: (block) => blocks[block]?.bytes ?? 0,
      *read(number) {
        const block = blocks[number];
        if (block === undefined) return;
        const bytes = readBytes(file, block.start, block.bytes);
        for (let index = block.first; index < block.end; index += 1) {
          const member = members[index];
          if (member === undefined) continue;
          const local = bytes.subarray(member.offset - block.start);
          yield {
            name: member.name,
            index,
            content: asContent(() => readMember(member, local)),
            crc32: member.crc32,
          };
        }
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    if (!(error instanceof ZipError)) throw error;
    throw new InputError(`"${path}" cannot be read: ${error.message}`, { cause: error });
  }
}

/** Cuts the members, which are in order of offset, into blocks. Each ends where the next member or the directory starts. */
function planBlocks(members: readonly ZipMember[], directoryStart: number): Block[] {
  const blocks: Block[] = [];
  for (let first = 0; first < members.length; ) {
    const start = members[first]?.offset ?? 0;
    let end = first;
    let stop = start;
    do {
      stop = members[end + 1]?.offset ?? directoryStart;
      end += 1;
    } while (end < members.length && (members[end + 1]?.offset ?? directoryStart) - start <= blockBytes);
    const longest =
      (members[end - 1]?.offset ?? 0) + maxHeaderBytes + (members[end - 1]?.compressedSize ?? 0);
    blocks.push({ first, end, start, bytes: Math.min(stop, longest) - start });
    first = end;
  }
  return blocks;
}

/** True for files with this extension, except those that macOS adds to zips. */
function hasExtension(name: string, extension: RegExp): boolean {
  return extension.test(name) && !basename(name).startsWith("._");
}

const isReturn = ({ name }: ZipMember) => hasExtension(name, /\.xml$/i);
const isZip = ({ name }: ZipMember) => hasExtension(name, /\.zip$/i);

/** What is lost of a zip: zips inside, returns with an obstacle, damaged entries; or all of it, if it has none of them and no return. */
function findLosses({ members, damagedEntries }: ZipDirectory): Loss[] {
  const losses: Loss[] = [];
  for (const member of members) {
    const inner = isZip(member) ? "it is a zip inside a zip; unpack the outer one" : undefined;
    const problem = inner ?? (isReturn(member) ? findObstacle(member) : undefined);
    if (problem !== undefined) losses.push({ file: member.name, problem });
  }
  for (let entry = 0; entry < damagedEntries; entry += 1)
    losses.push({ file: "(unknown)", problem: "its entry in the zip's directory is damaged" });
  if (losses.length === 0 && !members.some(isReturn)) {
    const problem =
      members.length > 0
        ? "the zip has no XML file; check what it is"
        : "the zip is empty; download it again";
    losses.push({ file: "(whole zip)", problem });
  }
  return losses;
}

function openFiles(paths: readonly string[]): OpenSource {
  const blocks: { first: number; end: number; bytes: number }[] = [];
  for (const [index, path] of paths.entries()) {
    const bytes = statSync(path).size;
    const last = blocks.at(-1);
    if (last !== undefined && last.bytes + bytes <= blockBytes)
      blocks[blocks.length - 1] = { ...last, end: index + 1, bytes: last.bytes + bytes };
    else blocks.push({ first: index, end: index + 1, bytes });
  }
  return {
    blocks: blocks.length,
    losses: [],
    bytesOf: (block) => blocks[block]?.bytes ?? 0,
    *read(number) {
      const { first = 0, end = 0 } = blocks[number] ?? {};
      for (const [offset, path] of paths.slice(first, end).entries()) {
        const content = asContent(() => readLoose(path));
        const sum = content instanceof MemberError ? 0 : crc32(content);
        yield { name: basename(path), index: first + offset, content, crc32: sum };
      }
    },
    close: () => {},
  };
}

function readLoose(path: string): Buffer {
  const { size } = statSync(path);
  if (size <= memberBytesMax) return readFileSync(path);
  throw new MemberError(`it has ${size} bytes; the limit is ${memberBytesMax}`);
}

function asContent(read: () => Buffer): Buffer | MemberError {
  try {
    return read();
  } catch (error) {
    if (error instanceof MemberError) return error;
    if (error instanceof ZipError) return new MemberError(error.message);
    throw error;
  }
}
