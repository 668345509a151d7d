// Writes zips of every kind that the IRS publishes, byte by byte, so that tests can damage them where they want.
import { crc32, deflateRawSync } from "node:zlib";
import { deflate64 } from "./deflate64.fixture.ts";

export type ZipEntry = {
  readonly name: string;
  readonly content: Buffer;
  /** 0 stored, 8 Deflate (default), 9 Deflate64. */
  readonly method?: number;
  readonly isEncrypted?: boolean;
};

/** `isZip64`: all sizes and offsets are in zip64 fields. */
export type ZipOptions = { readonly isZip64?: boolean; readonly comment?: string };

const compressors: Readonly<Record<number, (content: Buffer) => Buffer>> = {
  0: (content) => content,
  8: (content) => deflateRawSync(content),
  9: (content) => {
    const known = compressed64.get(content) ?? deflate64(content);
    compressed64.set(content, known);
    return known;
  },
};

/** Compressing takes long, and many tests write the same content. */
const compressed64 = new WeakMap<Buffer, Buffer>();

const full32 = 0xffffffff;

export function formatZip(
  entries: Iterable<ZipEntry>,
  { isZip64 = false, comment = "" }: ZipOptions = {},
): Buffer {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, method = 8, isEncrypted = false } of entries) {
    const data = (compressors[method] ?? compressors[0])?.(content) ?? content;
    const sizes = isZip64 ? [full32, full32] : [data.length, content.length];
    const common = fields(
      [isZip64 ? 45 : 20, 2],
      [isEncrypted ? 0x801 : 0x800, 2],
      [method, 2],
      [0, 4],
      [crc32(content), 4],
      [sizes[0] ?? 0, 4],
      [sizes[1] ?? 0, 4],
      [Buffer.byteLength(name), 2],
    );
    const localExtra = isZip64 ? extra64(content.length, data.length) : Buffer.alloc(0);
    const local = Buffer.concat([
      fields([0x04034b50, 4]),
      common,
      fields([localExtra.length, 2]),
      Buffer.from(name),
      localExtra,
      data,
    ]);
    const extra = isZip64 ? extra64(content.length, data.length, offset) : Buffer.alloc(0);
    directory.push(
      Buffer.concat([
        fields([0x02014b50, 4], [45, 2]),
        common,
        fields([extra.length, 2], [0, 2], [0, 2], [0, 2], [0, 4], [isZip64 ? full32 : offset, 4]),
        Buffer.from(name),
        extra,
      ]),
    );
    chunks.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = directory.length;
  if (isZip64) chunks.push(central, formatEnd64(count, central.length, offset));
  else chunks.push(central);
  const end = isZip64
    ? fields(
        [0x06054b50, 4],
        [0xffff, 2],
        [0xffff, 2],
        [0xffff, 2],
        [0xffff, 2],
        [full32, 4],
        [full32, 4],
        [comment.length, 2],
      )
    : fields(
        [0x06054b50, 4],
        [0, 2],
        [0, 2],
        [count, 2],
        [count, 2],
        [central.length, 4],
        [offset, 4],
        [comment.length, 2],
      );
  return Buffer.concat([...chunks, end, Buffer.from(comment)]);
}

function formatEnd64(count: number, bytes: number, start: number): Buffer {
  return fields(
    [0x06064b50, 4],
    [44, 8],
    [45, 2],
    [45, 2],
    [0, 4],
    [0, 4],
    [count, 8],
    [count, 8],
    [bytes, 8],
    [start, 8],
    [0x07064b50, 4],
    [0, 4],
    [start + bytes, 8],
    [1, 4],
  );
}

/** A zip64 field, after one of another kind. */
function extra64(...values: number[]): Buffer {
  return Buffer.concat([
    fields([0x7875, 2], [1, 2], [7, 1]),
    fields([1, 2], [values.length * 8, 2], ...values.map((value) => [value, 8] as const)),
  ]);
}

/** Little-endian numbers of the given bytes. */
function fields(...values: (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}
