// Compresses Deflate64 for tests: greedy matches with fixed codes. `unzip` and 7-Zip confirm that it is right.

const [windowBytes, maxMatch, minMatch] = [65_536, 65_538, 3];
const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
  227,
];
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5];
/** Matches beyond this have code 285 and 16 extra bits. */
const maxShortMatch = 258;

/** The content as one block with fixed codes. */
export function deflate64(content: Buffer): Buffer {
  const output = new BitWriter();
  output.put(1, 1);
  output.put(1, 2);
  const last = new Map<number, number>();
  for (let at = 0; at < content.length; ) {
    const start = last.get(keyAt(content, at));
    const length = start === undefined ? 0 : measureMatch(content, start, at);
    if (start !== undefined && length >= minMatch && at - start <= windowBytes)
      putMatch(output, length, at - start);
    else putSymbol(output, content[at] ?? 0);
    const end =
      at + Math.max(1, length >= minMatch && start !== undefined && at - start <= windowBytes ? length : 1);
    for (; at < end; at += 1) if (at + minMatch <= content.length) last.set(keyAt(content, at), at);
  }
  putSymbol(output, 256);
  return output.end();
}

/** The shortest match at a position, as a number: -1 if less than that is left. */
function keyAt(content: Buffer, at: number): number {
  return at + minMatch <= content.length ? content.readUIntBE(at, minMatch) : -1;
}

function measureMatch(content: Buffer, start: number, at: number): number {
  let length = 0;
  while (
    length < maxMatch &&
    at + length < content.length &&
    content[start + length] === content[at + length]
  )
    length += 1;
  return length;
}

function putMatch(output: BitWriter, length: number, distance: number): void {
  if (length > maxShortMatch) {
    putSymbol(output, 285);
    output.put(length - minMatch, 16);
  } else {
    const code = lengthBases.findLastIndex((base) => base <= length);
    putSymbol(output, 257 + code);
    output.put(length - (lengthBases[code] ?? 0), lengthBits[code] ?? 0);
  }
  let code = 31;
  while (baseOf(code) > distance) code -= 1;
  output.putCode(code, 5);
  output.put(distance - baseOf(code), extraOf(code));
}

const extraOf = (code: number) => Math.max(0, (code >> 1) - 1);
const baseOf = (code: number) => (code < 4 ? code + 1 : 1 + ((2 + (code & 1)) << extraOf(code)));

function putSymbol(output: BitWriter, symbol: number): void {
  if (symbol < 144) output.putCode(0x30 + symbol, 8);
  else if (symbol < 256) output.putCode(0x190 + symbol - 144, 9);
  else if (symbol < 280) output.putCode(symbol - 256, 7);
  else output.putCode(0xc0 + symbol - 280, 8);
}

class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;
  #count = 0;

  /** Least significant bit first. */
  put(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) {
      this.#bits |= ((value >> bit) & 1) << this.#count;
      this.#count += 1;
      if (this.#count === 8) {
        this.#bytes.push(this.#bits);
        this.#bits = 0;
        this.#count = 0;
      }
    }
  }

  /** Most significant bit first. */
  putCode(code: number, length: number): void {
    for (let bit = length - 1; bit >= 0; bit -= 1) this.put((code >> bit) & 1, 1);
  }

  end(): Buffer {
    if (this.#count > 0) this.#bytes.push(this.#bits);
    return Buffer.from(this.#bytes);
  }
}
