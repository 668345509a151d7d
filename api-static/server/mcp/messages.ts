// Reads the messages of agents as clients spell them, and rewords the errors of the protocol's library.
import { agentBatchMax } from "../../contract/limits.ts";

/** Revisions of the protocol that have batches. Clients of the first one do not send the header with their revision. */
const batchRevisions: readonly unknown[] = [undefined, "2025-03-26"];

/** Why a parsed body is refused; undefined if it is a message, or a batch where the revision has them. */
export function findMisuse(parsed: unknown, revision: unknown): string | undefined {
  if (!Array.isArray(parsed)) return isValues(parsed) ? undefined : "the body must be a JSON-RPC message";
  if (!batchRevisions.includes(revision)) return "the body must be one JSON-RPC message, not a batch";
  if (parsed.length >= 1 && parsed.length <= agentBatchMax) return undefined;
  return `a batch must have 1 to ${agentBatchMax} messages, got ${parsed.length}`;
}

/**
 * The messages as the library takes them: a null for `params` or `arguments` is none. A batch has no cancellations, because the library
 * would wait for the answer to what they cancel.
 */
export function readMessages(parsed: unknown): unknown {
  if (!Array.isArray(parsed)) return readMessage(parsed);
  return parsed.filter((one) => one?.method !== "notifications/cancelled").map(readMessage);
}

function readMessage(parsed: unknown): unknown {
  if (!isValues(parsed)) return parsed; // also a batch in a batch, which the library refuses
  const { params, ...others } = parsed;
  if (params === null) return others;
  if (!isValues(params) || params.arguments !== null) return parsed;
  return { ...parsed, params: { ...params, arguments: undefined } };
}

/** The issues that the library's validator lists as JSON in a message, as a JSON text has it. */
const listedIssues = /"code":-\d+,"message":"((?:[^"\\[]|\\.)*)(\[\\n(?:[^"\\]|\\.)*\])"/g;

/** An answer whose errors name the place and the rule, without the validator's list. */
export function rewordIssues(text: string): string {
  return text.replace(listedIssues, (_, start: string, list: string) => {
    const issues = JSON.parse(JSON.parse(`"${list}"`)) as { path: string[]; message: string }[];
    const rules = issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
    return `"code":-32602,"message":${JSON.stringify(`${JSON.parse(`"${start}"`)}${rules}`)}`;
  });
}

function isValues(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
