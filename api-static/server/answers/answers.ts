// Has the answer to each kind of request: a new kind without one is an error of types.
import type { OperationRequest } from "../../contract/request.ts";
import type { Exchange } from "../http/exchange.ts";
import { type AnswerContext, type Asked, answerTopic, type Replying } from "./asked.ts";
import { answerFeed } from "./feed.ts";
import { answerChanges, answerDownload } from "./files.ts";
import { answerExport, answerGroups, answerPage, answerTotals } from "./history.ts";
import { answerLikelyFunders } from "./likelyFunders.ts";
import { answerNamesFile, answerNamesOf, answerOrganization, answerOrganizations } from "./organizations.ts";
import { answerPreview, answerReconcile, answerSuggest } from "./reconcile.ts";
import { answerContract, answerHealth, answerReady, answerReport, answerStatus } from "./service.ts";
import { answerSiteFile } from "./sitePages.ts";
import { summarize } from "./summary.ts";
import { answerGrant, answerPeers, answerShared } from "./topics.ts";

/** A request that has an answer here; tools have theirs in `mcp/`. */
export type AnsweredRequest = Exclude<OperationRequest, { kind: "tools" }> | { readonly kind: "unknown" };

type OfKind<Kind> = Extract<AnsweredRequest, { kind: Kind }>;

/** The answers that need no release. */
const unreleased = { openapi: answerContract, health: answerHealth, ready: answerReady };

type Unreleased = keyof typeof unreleased;

/** The answers from a release. */
const released: {
  readonly [Kind in Exclude<AnsweredRequest["kind"], Unreleased>]: (
    asked: Asked,
    request: OfKind<Kind>,
  ) => Replying;
} = {
  history: answerPage,
  totals: answerTotals,
  groups: answerGroups,
  export: answerExport,
  groupsExport: answerExport,
  feed: answerFeed,
  summary: (asked, request) => answerTopic(asked, request, summarize),
  peers: (asked, request) => answerTopic(asked, request, answerPeers),
  shared: answerShared,
  likelyFunders: answerLikelyFunders,
  grant: answerGrant,
  organization: answerOrganization,
  organizations: answerOrganizations,
  namesOf: answerNamesOf,
  names: answerNamesFile,
  reconcile: answerReconcile,
  suggest: answerSuggest,
  preview: answerPreview,
  download: answerDownload,
  changes: answerChanges,
  status: answerStatus,
  report: answerReport,
  unknown: answerSiteFile,
};

/** The answer to a request that needs no release; undefined for others. */
export function answerUnreleased(
  exchange: Exchange,
  context: AnswerContext,
  { kind }: AnsweredRequest,
): Replying | undefined {
  return kind in unreleased ? unreleased[kind as Unreleased](exchange, context) : undefined;
}

/** The answer from a release. */
export function answerFromRelease(asked: Asked, request: AnsweredRequest): Replying {
  const answer = released[request.kind as keyof typeof released];
  return answer(asked, request as never);
}
