// Gives each grant a stable id below 2^53, derived from its return's OBJECT_ID and its row in the return.
import { createHash } from "node:crypto";

/**
 * Identifies a return: the OBJECT_ID in its file's name, or else a digest of its content. `slot` is the number from which
 * the ids of its grants are made.
 */
export type ReturnIdentity = { readonly returnId: string; readonly slot: number };

/** A return whose ids would not fit into 2^53. */
export class IdRangeError extends Error {}

/** Rows per return: every slot has this many ids. */
export const rowsPerReturn = 2 ** 18;

const [firstYear, lastYear] = [2009, 2039];
const daysPerYear = 366;
const formsPerDigit = 3; // 91 = 990-PF, 92 = 990-EZ, 93 = 990
const sequences = 100_000;
const digits = 10;

/** Slots of OBJECT_IDs. The others up to 2^35 belong to returns without one. */
export const objectIdSlots = (lastYear - firstYear + 1) * daysPerYear * digits * formsPerDigit * sequences;
const hashSlots = 2 ** 53 / rowsPerReturn - objectIdSlots;

/** e.g., "202303329349100200": year, a digit, day of the year, 9349 and the form, sequence. */
const layout = /^(\d{4})(\d)(\d{3})9349([1-3])(\d{5})$/;

/**
 * @param path the return's file, e.g., "batch/202303329349100200_public.xml"
 * @throws IdRangeError for a year after 2039
 */
export function identifyReturn(path: string, content: Uint8Array): ReturnIdentity {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const [, objectId] = /(?:^|\D)(\d{18})(?!\d)/.exec(name) ?? [];
  if (objectId === undefined) {
    const digest = createHash("sha256").update(content).digest("hex");
    return { returnId: `sha256-${digest}`, slot: hashSlot(digest) };
  }
  const slot = slotOf(objectId);
  if (slot !== undefined) return { returnId: objectId, slot };
  return { returnId: objectId, slot: hashSlot(createHash("sha256").update(objectId).digest("hex")) };
}

/** The id of a return's grant. @throws IdRangeError if the return has too many rows */
export function grantId(slot: number, row: number): number {
  if (row < rowsPerReturn) return slot * rowsPerReturn + row;
  throw tooManyRows();
}

export function tooManyRows(): IdRangeError {
  return new IdRangeError(`it has more than ${rowsPerReturn} rows of grants`);
}

/** The day on which a return was received, from its OBJECT_ID, e.g., "2023-11-28"; undefined without one. */
export function findDayReceived(returnId: string): string | undefined {
  const [, year, , day] = layout.exec(returnId) ?? [];
  const time = Date.UTC(Number(year), 0, Number(day));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
}

/** The slot of an OBJECT_ID as one number in mixed radix; undefined if it does not have the usual form. */
function slotOf(objectId: string): number | undefined {
  const [, ...numbers] = layout.exec(objectId) ?? [];
  const [year = 0, digit = 0, day = 0, form = 0, sequence = 0] = numbers.map(Number);
  if (year > lastYear)
    throw new IdRangeError(`its OBJECT_ID is of ${year}; ids are defined up to ${lastYear}`);
  if (year < firstYear || day < 1 || day > daysPerYear) return undefined;
  const days = (year - firstYear) * daysPerYear + day - 1;
  return ((days * digits + digit) * formsPerDigit + form - 1) * sequences + sequence;
}

function hashSlot(digest: string): number {
  return objectIdSlots + (Number.parseInt(digest.slice(0, 12), 16) % hashSlots);
}
