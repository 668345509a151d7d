// Reads a request's body, e.g., a form, within a limit of bytes and of time.
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { Refusal } from "../../contract/errors.ts";
import { formType } from "../../contract/headers.ts";
import { formBytesMax, formSeconds } from "../../contract/limits.ts";
import { missing } from "../../contract/operations/operation.ts";
import { formTooLarge, formTooSlow, invalidParameters, notOfType } from "../../contract/refusals.ts";
import { parseRequest } from "../../contract/request.ts";
import { ClientGone } from "../../search/queue.ts";
import type { Exchange, ServiceRequest, Target } from "./exchange.ts";

/**
 * The text of a form, as a query has it.
 * @throws Refusal if the body is no form, too long or too slow; ClientGone if the connection closes before its end
 */
export async function readForm(request: ServiceRequest, seconds = formSeconds): Promise<string> {
  const body = await readBody(request, formType, seconds);
  if (isUtf8(body)) return body.toString();
  const message = "queries must be UTF-8 text";
  throw new Refusal(invalidParameters([{ parameter: "queries", code: "malformed", message }]));
}

/**
 * A body of this type. The rest of a body that is refused is discarded as it arrives.
 * @param seconds that the body may take
 * @throws as `readForm`
 */
export async function readBody(
  request: ServiceRequest,
  expected: string,
  seconds = formSeconds,
): Promise<Buffer> {
  const { "content-type": type = "", "content-length": length = "0" } = request.headers;
  if (type.split(";")[0]?.trim().toLowerCase() !== expected) throw new Refusal(notOfType(type, expected));
  if (Number(length) > formBytesMax) throw new Refusal(formTooLarge);
  if (!(request instanceof Readable) || request.readableEnded) return Buffer.alloc(0);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > formBytesMax) reject(new Refusal(formTooLarge));
    else chunks.push(chunk);
  };
  const onClose = () => reject(new ClientGone("the client went away"));
  const onHalfClose = () => request.complete || onClose(); // Node.js reports it only when the response has ended
  const timer = setTimeout(() => reject(new Refusal(formTooSlow)), seconds * 1000);
  request.on("data", onData).once("end", resolve).once("close", onClose).once("error", onClose);
  request.socket?.once("end", onHalfClose);
  try {
    await promise;
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
    request.off("data", onData).off("end", resolve).off("close", onClose);
    request.socket?.off("end", onHalfClose);
    request.resume();
  }
}

/** The target of a POST: its form counts as a part of its query, and must not be empty. */
export async function addForm({ request, target }: Exchange): Promise<Target> {
  const form = await readForm(request);
  const parsed = parseRequest(target.path, [target.search.slice(1), form].filter(Boolean).join("&"));
  if (parsed.kind !== "reconcile" || parsed.queries !== undefined) return { ...target, request: parsed };
  const problems = [missing({ name: "queries", rule: "a JSON object of queries, in the form" })];
  return { ...target, request: { kind: "refused", problems } };
}
