// Runs the guide's example requests, with EINs and a grant that the release has.
import { formatJson } from "./json.ts";

/** A real answer. */
export type RunAnswer = {
  readonly status: number;
  /** Size of the body, or of the part that was read. */
  readonly bytes: number;
  /** True if only a part of the answer is shown. */
  readonly isCut: boolean;
  readonly text: string;
  readonly isJson: boolean;
};

/** Maximum bytes of an answer to read and show: an export may have gigabytes. */
export const shownBytes = 16_384;

/** EINs, and the id of a grant, in the document's examples. */
export const exampleEins = { funder: "131635294", recipient: "530196605", grant: "39583744" } as const;

export type Eins = { readonly funder: string; readonly recipient: string; readonly grant: string };

/** A request with these EINs and id in place of the examples'; the path of a file of names has their first four digits. */
export function withEins(request: string, { funder, recipient, grant }: Eins): string {
  return request
    .replace(`/grants/${exampleEins.grant}`, `/grants/${grant}`)
    .replace(exampleEins.funder, funder)
    .replace(exampleEins.recipient, recipient)
    .replace(`/eins/${exampleEins.funder.slice(0, 4)}.`, `/eins/${funder.slice(0, 4)}.`);
}

/** The EINs of the first grant that has both; the examples' if none has. */
export function pickEins(
  grants: readonly { id: number; funder_ein: string; recipient_ein: string | null }[],
): Eins {
  const grant = grants.find(({ recipient_ein }) => recipient_ein !== null) ?? grants[0];
  if (grant === undefined) return exampleEins;
  return {
    funder: grant.funder_ein,
    recipient: grant.recipient_ein ?? exampleEins.recipient,
    grant: String(grant.id),
  };
}

/** Runs a request; reads at most `shownBytes`. Undefined if the API does not answer here. Throws if the network does not. */
export async function run(request: string): Promise<RunAnswer | undefined> {
  const controller = new AbortController();
  const response = await fetch(request, { signal: controller.signal });
  if (isOfStaticHost(response)) {
    controller.abort();
    return undefined;
  }
  const { bytes, isCut } = await readStart(response);
  if (isCut) controller.abort();
  const text = new TextDecoder().decode(bytes);
  const isJson = response.headers.get("Content-Type")?.includes("json") === true;
  return {
    status: response.status,
    bytes: bytes.length,
    isCut,
    text: (isJson ? formatJson(text) : text.trimEnd()) + (isCut ? "\n…" : ""),
    isJson,
  };
}

/** True for a static host's own page, e.g., its 404. The API never answers HTML, and its failures are JSON. */
function isOfStaticHost({ status, headers }: Response): boolean {
  const type = headers.get("Content-Type") ?? "";
  if (status >= 500) return false; // a proxy without a server
  return type.includes("html") || (status >= 400 && !type.includes("json"));
}

async function readStart(response: Response): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const reader = response.body?.getReader();
  const read: number[] = [];
  while (reader !== undefined) {
    const { value, done } = await reader.read();
    if (done) break;
    for (const byte of value) read.push(byte);
    if (read.length > shownBytes) return { bytes: Uint8Array.from(read.slice(0, shownBytes)), isCut: true };
  }
  return { bytes: Uint8Array.from(read), isCut: false };
}
