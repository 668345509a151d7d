// Parses any XML document with a complete parser: the slow path for unusual returns.
import { SaxesParser } from "saxes";
import { controlCharacter, escapeAmpersands, limitText, type Oddity } from "./text.ts";
import { checkDepth, type ElementHandler, UnreadableReturn } from "./walk.ts";

/** The namespace of returns. A document without any namespace is read as well. */
const efileNamespace = "http://www.irs.gov/efile";

/** Errors after which a document counts as no XML: a million take the parser two seconds. */
const maxErrors = 1_000_000;

/**
 * Reports every element of a document to `handler`, with decoded text; an element of another namespace as one without a
 * name. Malformed XML is read as far as the parser understands it.
 * @throws UnreadableReturn if it has too many errors, or an element lies too deep
 */
export function parseDocument(
  document: string,
  handler: ElementHandler,
  note: (oddity: Oddity) => void,
): void {
  if (controlCharacter.test(document)) note("control character");
  const parser = new SaxesParser({ xmlns: true, position: false });
  const opened: string[] = []; // names of the elements not yet reported to `handler`
  const find = (name: string) => {
    const bytes = Buffer.from(name);
    return handler.find(bytes, 0, bytes.length);
  };
  let text = "";
  const values = { decode: () => limitText(text.trim(), note) }; // the parser decoded references
  let depth = 0;
  let errors = 0;
  parser.on("error", () => {
    errors += 1; // the parser continues
    if (errors > maxErrors) throw new UnreadableReturn(`it has more than ${maxErrors} errors of XML`);
  });
  parser.on("opentag", ({ local, uri }) => {
    depth += 1;
    checkDepth(depth);
    const parent = opened.pop();
    if (parent !== undefined) handler.open(find(parent));
    opened.push(uri === efileNamespace || uri === "" ? local : "");
    text = "";
  });
  const append = (more: string) => {
    text += more;
  };
  parser.on("text", append);
  parser.on("cdata", append);
  parser.on("closetag", () => {
    depth -= 1;
    const name = opened.pop();
    const rule = name === undefined ? undefined : find(name);
    if (name === undefined) handler.close();
    else if (rule !== undefined) handler.leaf(rule, values, 0, text.length);
    text = "";
  });
  parser.write(escapeAmpersands(document, note));
  if (depth > 0) note("cut off");
  const last = opened.pop();
  if (last !== undefined) handler.open(find(last));
}
