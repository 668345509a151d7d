// Answers about the service itself: its state, the report of its sync, and its document.
import type { ApiError } from "../../contract/errors.ts";
import { cacheBriefly, jsonType } from "../../contract/headers.ts";
import { openapiText } from "../../openapi/document.ts";
import { digestBody, gzipBody } from "../../release/pageFileFormat.ts";
import { formatReport, formatStatus } from "../../release/status.ts";
import type { Exchange } from "../http/exchange.ts";
import { prepareContent, prepareError, prepareText, type Reply } from "../http/reply.ts";
import type { AnswerContext, Asked } from "./asked.ts";

export const notReady: ApiError = {
  code: "not_ready",
  message: "no release is open yet; try again in a few seconds",
  retryAfter: 5,
};

const notAnswering: ApiError = { ...notReady, message: "searches fail; the server's log has the reason" };

const openapi = Buffer.from(openapiText);

/** The OpenAPI document as it is sent. It is compressed once: it is large, and requests for it have no limit. */
const contract = { body: openapi, digest: digestBody(openapi), gzipped: gzipBody(openapi) };

export function answerContract(exchange: Exchange): Promise<Reply> {
  return prepareContent(exchange, contract);
}

export function answerHealth(exchange: Exchange): Reply {
  return prepareText(exchange, "ok\n", "text/plain");
}

export async function answerReady(exchange: Exchange, { releases }: AnswerContext): Promise<Reply> {
  const isAnswering = await releases.current?.search.isAnswering();
  if (isAnswering) return answerHealth(exchange);
  return prepareError(exchange, isAnswering === undefined ? notReady : notAnswering);
}

export function answerStatus({ exchange, release: { facts, report }, context }: Asked): Reply {
  const { clock, isSyncScheduled, syncMinutes } = context;
  return sendBriefly(exchange, formatStatus(facts, report, clock(), isSyncScheduled, syncMinutes));
}

export async function answerReport({ exchange, release: { facts, report }, context }: Asked): Promise<Reply> {
  return sendBriefly(exchange, formatReport(facts, report, await context.readSyncs()));
}

function sendBriefly(exchange: Exchange, text: string): Reply {
  return prepareText(exchange, text, jsonType, { "Cache-Control": cacheBriefly });
}
