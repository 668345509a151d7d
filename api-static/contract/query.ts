// Reads a query string: the values of each parameter, and which of them are not UTF-8.

/** A value whose percent-escapes are not UTF-8, as it was sent, e.g., "caf%E9". Decoding it would replace bytes. */
export type NotUtf8 = { readonly encoded: string };

/**
 * The values of each parameter, decoded as HTML forms encode them ("+" is a space), in the order of the query. A name that is
 * not UTF-8 is kept as sent. A "%" that does not start an escape is literal.
 * @param query with or without the leading "?"
 */
export function readQuery(query: string): Map<string, (string | NotUtf8)[]> {
  const parameters = new Map<string, (string | NotUtf8)[]>();
  const sent = query
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "");
  for (const [index, [decodedName, decodedValue]] of [...new URLSearchParams(query)].entries()) {
    const pair = sent[index] ?? "";
    const [, sentName = "", sentValue = ""] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const name = isUtf8(sentName) ? decodedName : sentName;
    const value = isUtf8(sentValue) ? decodedValue : { encoded: sentValue };
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}

/** A path in which letters, digits, "-", ".", "_" and "~" are not escaped: both spellings are the same path (RFC 3986, section 6.2.2.2). */
export function normalizePath(path: string): string {
  return path.replace(/%(?:[46][1-9A-F]|[57][0-9A]|3[0-9]|2[DE]|5F|7E)/gi, decodeURIComponent);
}

/** A path decoded once, as file servers do it; unchanged if it cannot be decoded, because no page or EIN is spelled so. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** True if every run of percent-escapes is UTF-8. Characters between the runs are whole, so runs can be checked alone. */
function isUtf8(encoded: string): boolean {
  try {
    for (const [escapes] of encoded.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
