// Defines what an answer is made of: a request, its release and what the service has; and replies that several operations give.

import type { SyncEntry } from "../../contract/answers/report.ts";
import type { OrganizationRequest } from "../../contract/operations/organizations.ts";
import type { Matching } from "../../contract/operations/searches.ts";
import type { TopicRequest } from "../../contract/operations/topics.ts";
import type { AdmitSearch } from "../../search/answer.ts";
import type { SearchClient } from "../../search/queue.ts";
import type { Release } from "../../search/release.ts";
import type { Clients } from "../http/clients.ts";
import type { Exchange } from "../http/exchange.ts";
import { prepareContent, prepareError, type Reply } from "../http/reply.ts";
import type { Log } from "../observe/log.ts";
import type { Releases } from "../releases.ts";
import type { ChangesFolder } from "./changesFolder.ts";
import type { Exports } from "./export.ts";

/** What the service has for answers. */
export type AnswerContext = {
  readonly clients: Clients;
  readonly exports: Exports;
  readonly changes: ChangesFolder;
  readonly log: Log;
  /** Where people reach the site, e.g., "https://grants.example.org"; "" if it is not set. */
  readonly siteUrl: string;
  readonly releases: Pick<Releases, "current" | "enter" | "findAsset">;
  readonly clock: () => Date;
  /** True if a sync starts every night. */
  readonly isSyncScheduled: boolean;
  /** When it starts, in minutes after midnight UTC. */
  readonly syncMinutes?: number;
  /** Reads the history of syncs, newest first. */
  readonly readSyncs: () => Promise<readonly SyncEntry[]>;
};

/** What a release is asked. */
export type Asked = {
  readonly exchange: Exchange;
  readonly context: AnswerContext;
  readonly release: Release;
  /** Counts a search of the client; returns the client. @throws Refusal if it may not search now */
  readonly admit: () => SearchClient;
};

export type Replying = Reply | Promise<Reply>;

/** A reply with a body of JSON that was computed. */
export function prepareFound(exchange: Exchange, body: Buffer): Promise<Reply> {
  return prepareContent(exchange, { body }, { answeredBy: "search" });
}

/** The reply about a funder or a recipient. @param find makes the body; undefined if the release has no grant by it, or to it */
export async function answerTopic(
  asked: Asked,
  request: TopicRequest,
  find: (release: Release, request: TopicRequest, admit: AdmitSearch) => Promise<Buffer | undefined>,
): Promise<Reply> {
  const body = await find(asked.release, request, asked.admit);
  if (body !== undefined) return prepareFound(asked.exchange, body);
  return { ...refuseTopic(asked, request.of, request.ein), answeredBy: "search" };
}

/** Refuses the funder or the recipient that a request's path names. */
export function refuseScope(asked: Asked, { scope, filters }: Matching): Reply {
  return scope === "recipient"
    ? refuseTopic(asked, "recipient", filters.recipientEin)
    : refuseTopic(asked, "funder", filters.funderEin);
}

export function refuseTopic(
  { exchange, release }: Asked,
  of: TopicRequest["of"],
  ein: string | undefined,
): Reply {
  const grants = of === "funder" ? "grants of funder" : "grants to recipient";
  const message = `release ${release.facts.release} has no ${grants} ${ein}`;
  return prepareError(exchange, { code: `${of}_not_found`, message });
}

export function refuseOrganization(
  { exchange, release }: Asked,
  { ein }: Pick<OrganizationRequest, "ein">,
): Reply {
  const message = `release ${release.facts.release} has no organization ${ein}`;
  return prepareError(exchange, { code: "organization_not_found", message });
}
