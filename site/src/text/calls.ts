// Writes a call of the API in the forms that people copy.

/** The form of a call; a pinned one is a URL that names its release. */
export type CallForm = "URL" | "curl" | "fetch" | "Pinned";

/** The text of a call in one of the forms. */
export function formatCall(form: CallForm, url: string): string {
  if (form === "curl") return `curl '${url.replaceAll("'", "%27")}'`;
  if (form === "fetch") return `const answer = await (await fetch(${JSON.stringify(url)})).json();`;
  return url;
}
