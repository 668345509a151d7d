// Lays out JSON for people without parsing it, so that numbers keep their digits, and marks keys, texts and numbers.

export type Token = { readonly kind: "plain" | "name" | "text" | "number"; readonly text: string };

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

/** The tokens of JSON text, one value a line, indented by two spaces. Truncated text is laid out up to its end. */
export function layOut(json: string): Token[] {
  const laid: Token[] = [];
  const add = (text: string, kind: Token["kind"] = "plain") => laid.push({ kind, text });
  const found = json.match(tokens) ?? [];
  let depth = 0;
  const breakLine = () => add(`\n${"  ".repeat(depth)}`);
  for (const [index, token] of found.entries()) {
    const before = found[index - 1];
    const after = found[index + 1];
    if (token === "{" || token === "[") {
      add(token);
      depth += 1;
      if (after !== "}" && after !== "]") breakLine();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      if (before !== "{" && before !== "[") breakLine();
      add(token);
    } else if (token === ",") {
      add(token);
      breakLine();
    } else if (token === ":") add(": ");
    else if (token.startsWith('"')) add(token, after === ":" ? "name" : "text");
    else add(token, "number");
  }
  return laid;
}

/** The laid out text. */
export function formatJson(json: string): string {
  return layOut(json)
    .map(({ text }) => text)
    .join("");
}
