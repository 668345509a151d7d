// Cuts out the parts of a plain return that are read, so that most of its bytes are never walked.
import type { Collector } from "./collector.ts";
import { type ElementRule, type FormName, ruleAt } from "./elements.ts";
import { asUtf8, type Oddity, ValueDecoder } from "./text.ts";
import { walkElement } from "./walk.ts";

const data = ruleAt("Return", "ReturnData");

/** An element of a form: the start of all names that it has had, and within how many bytes of the form's start it must begin. */
type Part = { readonly start: string; readonly within?: number };

/** Elements at the top of a form. Most forms have neither, and need not be searched to their ends. */
const headBytes = 16_384;
const amended: Part = { start: "<AmendedReturn", within: headBytes };

/** By form: the elements of its main part that are read. */
const partsOfForm: Readonly<Record<FormName, readonly Part[]>> = {
  "990": [
    amended,
    { start: "<GroupReturnForAffiliates", within: headBytes },
    { start: "<GrantsToDomesticOrgs" },
  ],
  "990PF": [amended, { start: "<AnalysisOfRevenueAndExpenses" }, { start: "<SupplementaryInfo" }],
  "990EZ": [amended],
  "990T": [amended],
};

/** The root of a return must start within this many bytes. */
const prologBytes = 1_024;

/**
 * Reads a return into `collector`.
 * @returns false if the return is unusual in any way; then discard `collector`
 */
export function readSlices(xml: Buffer, collector: Collector, note: (oddity: Oddity) => void): boolean {
  const root = findPlainRoot(xml);
  if (root === undefined) return false;
  const walk = (start: number, endTag: string, above: ElementRule) =>
    walkSlice(xml, { start, endTag, above }, collector, note);

  const header = indexOfTag(xml, "<ReturnHeader", root);
  if (header < 0) return false;
  const headerEnd = walk(header, "</ReturnHeader>", ruleAt("Return"));
  if (headerEnd === undefined) return false;

  const form = findForm(xml, headerEnd);
  if (form !== undefined) {
    collector.collected.form ??= form.name;
    const above = ruleAt("Return", "ReturnData", form.element);
    for (const { start, within } of partsOfForm[form.name]) {
      const searched = within === undefined ? xml : xml.subarray(0, form.start + within);
      const at = searched.indexOf(start, form.start, "latin1");
      if (at < 0) continue;
      const name = readName(xml, at + 1);
      if (walk(at, `</${name}>`, above) === undefined) return false;
    }
  }
  if (form?.name !== "990EZ" && form?.name !== "990T" && form?.name !== "990PF") {
    for (
      let at = indexOfTag(xml, "<IRS990ScheduleI", headerEnd);
      at >= 0;
      at = indexOfTag(xml, "<IRS990ScheduleI", at + 1)
    ) {
      if (walk(at, "</IRS990ScheduleI>", data) === undefined) return false;
    }
  }
  if (!endsWithReturn(xml)) note("cut off");
  return true;
}

type Slice = { readonly start: number; readonly endTag: string; readonly above: ElementRule };

/** Returns the position after the slice; undefined if it is unusual. */
function walkSlice(
  xml: Buffer,
  { start, endTag, above }: Slice,
  collector: Collector,
  note: (oddity: Oddity) => void,
): number | undefined {
  const end = endOf(xml, endTag, start);
  collector.enter(above);
  const slice = asUtf8(xml.subarray(start, end), note);
  const how = walkElement(slice, collector, new ValueDecoder(slice, note));
  if (how === "unusual") return undefined;
  // A slice that has its end tag must end there; otherwise its tags do not match.
  if (how === "cut off" && end < xml.length) return undefined;
  return end;
}

/** The position after an end tag, or the end of the file. */
function endOf(xml: Buffer, endTag: string, from: number): number {
  const at = xml.indexOf(endTag, from, "latin1");
  return at < 0 ? xml.length : at + endTag.length;
}

/** The main part of the return: the first one that is a form. */
function findForm(xml: Buffer, from: number): { name: FormName; element: string; start: number } | undefined {
  for (
    let at = xml.indexOf("<IRS990", from, "latin1");
    at >= 0;
    at = xml.indexOf("<IRS990", at + 1, "latin1")
  ) {
    const element = readName(xml, at + 1);
    const name = data.below.find(xml, at + 1, at + 1 + element.length)?.form;
    if (name !== undefined) return { name, element, start: at };
  }
  return undefined;
}

/** The position of a start tag with exactly this name. */
function indexOfTag(xml: Buffer, start: string, from: number): number {
  let at = xml.indexOf(start, from, "latin1");
  while (at >= 0 && isNameByte(xml[at + start.length])) at = xml.indexOf(start, at + 1, "latin1");
  return at;
}

function readName(xml: Buffer, start: number): string {
  let end = start;
  while (isNameByte(xml[end])) end += 1;
  return xml.toString("latin1", start, end);
}

/** Letters, digits, `-`, `.`, `_`, `:` and everything beyond ASCII. */
function isNameByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 97 && byte <= 122) ||
    (byte >= 65 && byte <= 90) ||
    (byte >= 48 && byte <= 58) ||
    byte === 45 ||
    byte === 46 ||
    byte === 95 ||
    byte >= 128
  );
}

const [exclamation, question, lessThan] = [33, 63, 60];

/**
 * The position of the root, if the document is plain: UTF-8, the namespace of returns as its only default, no prefix for it, and
 * neither comments, CDATA, a DOCTYPE nor processing instructions.
 */
function findPlainRoot(xml: Buffer): number | undefined {
  const prolog = xml.toString("latin1", 0, prologBytes);
  const [declaration] = /^(?:\xEF\xBB\xBF)?\s*(?:<\?xml[^>]*\?>)?\s*/.exec(prolog) ?? [""];
  const [, , encoding = "utf-8"] = /\sencoding\s*=\s*(["'])([\w.-]+)\1/.exec(declaration) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(encoding)) return undefined;
  const root = declaration.length;
  const [tag] = /^<Return(?=[\s>])(?:[^>"']|"[^"]*"|'[^']*')*>/.exec(prolog.slice(root)) ?? [];
  if (tag === undefined) return undefined;
  if (/\sxmlns:[\w.-]+\s*=\s*(["'])http:\/\/www\.irs\.gov\/efile\1/.test(tag)) return undefined;
  const [, , namespace = "http://www.irs.gov/efile"] = /\sxmlns\s*=\s*(["'])(.*?)\1/.exec(tag) ?? [];
  if (namespace !== "http://www.irs.gov/efile") return undefined;
  const body = root + tag.length;
  if (hasMarkup(xml, exclamation, 0) || hasMarkup(xml, question, root)) return undefined;
  return xml.includes("xmlns", body, "latin1") ? undefined : root;
}

/** True if `<` and this byte stand together anywhere from `start` on. */
function hasMarkup(xml: Buffer, byte: number, start: number): boolean {
  for (let at = xml.indexOf(byte, start); at >= 0; at = xml.indexOf(byte, at + 1)) {
    if (xml[at - 1] === lessThan) return true;
  }
  return false;
}

function endsWithReturn(xml: Buffer): boolean {
  return /<\/Return\s*>\s*$/.test(xml.toString("latin1", Math.max(0, xml.length - 100), xml.length));
}
