// Decompresses Deflate64, which Node.js cannot: Deflate with a window of 64 KB and matches of up to 65,538 bytes.
// The format is RFC 1951, with the codes 285, 30 and 31 of APPNOTE.TXT, section 5.5.

/** Lengths by code - 257: base and number of extra bits. Code 285 differs from Deflate. */
const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227, 3,
];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 16];
/** Distances by code; Deflate has no codes 30 and 31. */
const distanceBits = Array.from({ length: 32 }, (_, code) => Math.max(0, (code >> 1) - 1));
const distanceBases = distanceBits.map((bits, code) =>
  code < 4 ? code + 1 : 1 + ((2 + (code & 1)) << bits),
);

/** Order in which the lengths of the code of lengths are stored. */
const lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

const maxCodeBits = 15;
const endOfBlock = 256;

/** A code as a table: the entry at the next `bits` bits of the input is `symbol << 4 | length of its code`, or 0 if there is none. */
type Code = { readonly table: Uint16Array; readonly bits: number };

/**
 * Returns the decompressed bytes.
 * @param size their exact number
 * @throws Error if `data` is damaged or has another size
 */
export function inflate64(data: Uint8Array, size: number): Buffer {
  const output = Buffer.allocUnsafe(size);
  const input = new BitReader(data);
  let filled = 0;
  for (let isLast = false; !isLast; ) {
    isLast = input.take(1) === 1;
    const kind = input.take(2);
    if (kind === 0) filled = copyStored(input, output, filled);
    else if (kind === 1) filled = inflateBlock(input, fixedCodes, output, filled);
    else if (kind === 2) filled = inflateBlock(input, readCodes(input), output, filled);
    else throw new Error("unknown kind of block");
  }
  if (filled !== size) throw new Error(`${filled} bytes instead of ${size}`);
  return output;
}

/** Reads bits, least significant first. Beyond the end there are zeros, which `checkEnd` reports. */
class BitReader {
  bits = 0;
  count = 0;
  at = 0;
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  /** The next `count` bits, at most 16. */
  take(count: number): number {
    while (this.count < count) {
      this.bits |= (this.data[this.at] ?? 0) << this.count;
      this.at += 1;
      this.count += 8;
    }
    const value = this.bits & ((1 << count) - 1);
    this.bits >>>= count;
    this.count -= count;
    this.checkEnd();
    return value;
  }

  /** Decodes the next symbol. */
  decode({ table, bits }: Code): number {
    while (this.count < bits) {
      this.bits |= (this.data[this.at] ?? 0) << this.count;
      this.at += 1;
      this.count += 8;
    }
    const entry = table[this.bits & ((1 << bits) - 1)] ?? 0;
    if (entry === 0) throw new Error("unknown code");
    this.bits >>>= entry & 15;
    this.count -= entry & 15;
    this.checkEnd();
    return entry >> 4;
  }

  /** @throws Error if more bits were used than the input has */
  checkEnd(): void {
    if (this.at - (this.count >> 3) > this.data.length) throw new Error("its end is missing");
  }
}

function copyStored(input: BitReader, output: Buffer, filled: number): number {
  input.at -= input.count >> 3; // whole bytes that were read ahead
  input.bits = 0;
  input.count = 0;
  const length = input.take(16);
  if (input.take(16) !== (~length & 0xffff)) throw new Error("damaged stored block");
  const end = input.at + length;
  if (end > input.data.length || filled + length > output.length) throw new Error("stored block is too long");
  output.set(input.data.subarray(input.at, end), filled);
  input.at = end;
  return filled + length;
}

type Codes = { readonly literals: Code; readonly distances: Code };

/** Longest match that is copied byte by byte: `copyWithin` has a cost per call. */
const shortMatch = 24;

/** Decompresses one block, and returns the number of bytes filled so far. The loop keeps the reader's state in variables for speed. */
function inflateBlock(
  input: BitReader,
  { literals, distances }: Codes,
  output: Buffer,
  start: number,
): number {
  const { data } = input;
  const [literalTable, literalMask] = [literals.table, (1 << literals.bits) - 1];
  const [distanceTable, distanceMask] = [distances.table, (1 << distances.bits) - 1];
  let { bits, count, at } = input;
  let filled = start;
  for (;;) {
    if (at - 4 > data.length) throw new Error("its end is missing");
    while (count < 16) {
      bits |= (data[at++] ?? 0) << count;
      count += 8;
    }
    let entry = literalTable[bits & literalMask] ?? 0;
    if (entry === 0) throw new Error("unknown code");
    bits >>>= entry & 15;
    count -= entry & 15;
    const symbol = entry >> 4;
    if (symbol < endOfBlock) {
      output[filled++] = symbol; // writes beyond the end are ignored, and reported below
      continue;
    }
    if (symbol === endOfBlock) break;
    const lengthExtra = lengthBits[symbol - 257] ?? 0;
    while (count < lengthExtra) {
      bits |= (data[at++] ?? 0) << count;
      count += 8;
    }
    const length = (lengthBases[symbol - 257] ?? 0) + (bits & ((1 << lengthExtra) - 1));
    bits >>>= lengthExtra;
    count -= lengthExtra;
    while (count < 16) {
      bits |= (data[at++] ?? 0) << count;
      count += 8;
    }
    entry = distanceTable[bits & distanceMask] ?? 0;
    if (entry === 0) throw new Error("unknown code");
    bits >>>= entry & 15;
    count -= entry & 15;
    const distanceExtra = distanceBits[entry >> 4] ?? 0;
    while (count < distanceExtra) {
      bits |= (data[at++] ?? 0) << count;
      count += 8;
    }
    const distance = (distanceBases[entry >> 4] ?? 0) + (bits & ((1 << distanceExtra) - 1));
    bits >>>= distanceExtra;
    count -= distanceExtra;
    if (distance > filled || filled + length > output.length)
      throw new Error("a match lies outside the data");
    if (length <= shortMatch || distance < length) {
      for (const end = filled + length; filled < end; filled += 1)
        output[filled] = output[filled - distance] ?? 0;
    } else {
      output.copyWithin(filled, filled - distance, filled - distance + length);
      filled += length;
    }
  }
  if (filled > output.length) throw new Error("more bytes than expected");
  input.bits = bits;
  input.count = count;
  input.at = at;
  input.checkEnd();
  return filled;
}

/** Reads the codes of a block with dynamic codes. */
function readCodes(input: BitReader): Codes {
  const literalCount = input.take(5) + 257;
  const distanceCount = input.take(5) + 1;
  const orderCount = input.take(4) + 4;
  const orderLengths = new Uint8Array(19);
  for (const symbol of lengthOrder.slice(0, orderCount)) orderLengths[symbol] = input.take(3);
  const lengthCode = makeCode(orderLengths);
  const lengths = new Uint8Array(literalCount + distanceCount);
  for (let at = 0; at < lengths.length; ) {
    const symbol = input.decode(lengthCode);
    if (symbol < 16) {
      lengths[at++] = symbol;
      continue;
    }
    if (symbol === 16 && at === 0) throw new Error("nothing to repeat");
    const value = symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
    const repeat = symbol === 16 ? 3 + input.take(2) : symbol === 17 ? 3 + input.take(3) : 11 + input.take(7);
    if (at + repeat > lengths.length) throw new Error("too many code lengths");
    lengths.fill(value, at, at + repeat);
    at += repeat;
  }
  return {
    literals: makeCode(lengths.subarray(0, literalCount)),
    distances: makeCode(lengths.subarray(literalCount)),
  };
}

/** Builds the table of a canonical code from the lengths of its symbols. */
function makeCode(lengths: Uint8Array): Code {
  const counts = new Uint16Array(maxCodeBits + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  counts[0] = 0;
  const bits = Math.max(
    1,
    counts.findLastIndex((count) => count > 0),
  );
  const next = new Uint32Array(maxCodeBits + 2);
  for (let length = 1; length <= maxCodeBits; length += 1) {
    next[length + 1] = ((next[length] ?? 0) + (counts[length] ?? 0)) << 1;
    if ((next[length] ?? 0) + (counts[length] ?? 0) > 1 << length) throw new Error("over-subscribed code");
  }
  const table = new Uint16Array(1 << bits);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = next[length] ?? 0;
    next[length] = code + 1;
    const reversed = reverseBits(code, length);
    for (let at = reversed; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  }
  return { table, bits };
}

function reverseBits(code: number, length: number): number {
  let reversed = 0;
  for (let bit = 0; bit < length; bit += 1) reversed |= ((code >> bit) & 1) << (length - 1 - bit);
  return reversed;
}

const fixedLengths = Uint8Array.from({ length: 288 }, (_, symbol) =>
  symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
);
const fixedCodes: Codes = {
  literals: makeCode(fixedLengths),
  distances: makeCode(new Uint8Array(32).fill(5)),
};
