// Answers a request from a release: with a page of grants, totals, groups, an export, a summary, peers, an organization, names, a download or a file of the site.
import { csvType } from "../../contract/csv.ts";
import type { DownloadRequest } from "../../contract/downloads.ts";
import { formatGroups } from "../../contract/envelope.ts";
import type { FeedRequest } from "../../contract/feeds.ts";
import type { GroupsExportRequest, GroupsRequest } from "../../contract/groups.ts";
import { cacheBriefly, formatLinks, htmlHeaders } from "../../contract/headers.ts";
import type { LikelyFundersRequest } from "../../contract/likelyFunders.ts";
import type {
  ExportRequest,
  GrantRequest,
  HistoryRequest,
  TopicRequest,
  TotalsRequest,
} from "../../contract/request.ts";
import type { SharedRequest } from "../../contract/shared.ts";
import { missingPage } from "../../contract/sitePaths.ts";
import type { ParsedTarget } from "../../contract/target.ts";
import { findFunderRow } from "../../release/layout.ts";
import type { SiteFile } from "../../release/siteFiles.ts";
import { answerHistory } from "../../search/answer.ts";
import type { SearchClient } from "../../search/queue.ts";
import type { Release } from "../../search/release.ts";
import type { Clients } from "../http/clients.ts";
import type { Exchange } from "../http/exchange.ts";
import * as http from "../http/reply.ts";
import type { SentStream } from "../http/stream.ts";
import type { Log } from "../observe/log.ts";
import type { Releases } from "../releases.ts";
import { answerChanges, type ChangesFolder } from "./changes.ts";
import { answerDownload, type FileContext } from "./download.ts";
import type { Export, Exports } from "./export.ts";
import { nameExport } from "./exportName.ts";
import { answerFeed } from "./feed.ts";
import { answerGrant } from "./grant.ts";
import { answerLikelyFunders } from "./likelyFunders.ts";
import { answerOrganizations } from "./organizationAnswers.ts";
import { describePage, writeTags } from "./pageTags.ts";
import { answerPeers } from "./peers.ts";
import { type SendContext, sendChunks } from "./sentChunks.ts";
import { answerShared } from "./shared.ts";
import { prepareNoFile } from "./sitePages.ts";
import { summarize } from "./summary.ts";
import { answerTotals } from "./totals.ts";

export type AnswerContext = {
  readonly clients: Clients;
  readonly exports: Exports;
  readonly changes: ChangesFolder;
  readonly log: Log;
  /** Where people reach the site, e.g., "https://grants.example.org"; "" if it is not set. */
  readonly siteUrl: string;
  readonly releases: Pick<Releases, "current" | "enter" | "findAsset">;
};

/** A request that a release answers. */
type AnsweredRequest = Exclude<ParsedTarget["request"], { kind: "redirect" | "refused" }>;

type Preparing = http.Reply | Promise<http.Reply>;

/** The answer to one request from a release. */
export class ReleaseAnswers {
  readonly #exchange: Exchange;
  readonly #context: AnswerContext;
  readonly #release: Release;

  constructor(exchange: Exchange, context: AnswerContext, release: Release) {
    this.#exchange = exchange;
    this.#context = context;
    this.#release = release;
  }

  answer(request: AnsweredRequest): Preparing {
    switch (request.kind) {
      case "history":
        return this.#answerHistory(request);
      case "export":
      case "groupsExport":
        return this.#answerExport(request);
      case "download":
        return this.#answerDownload(request);
      case "changes":
        return answerChanges(this.#exchange, request, this.#context.changes, this.#fileContext("changes"));
      case "feed":
        return this.#answerFeed(request);
      case "totals":
        return this.#answerTotals(request);
      case "groups":
        return this.#answerGroups(request);
      case "summary":
      case "peers":
        return this.#answerTopic(request);
      case "likelyFunders":
        return this.#answerLikelyFunders(request);
      case "shared":
        return this.#answerShared(request);
      case "grant":
        return this.#answerGrant(request);
      case "organization":
      case "organizations":
      case "names":
      case "namesOf":
      case "reconcile":
      case "suggest":
      case "preview":
        return answerOrganizations(
          {
            ...{ exchange: this.#exchange, release: this.#release, siteUrl: this.#context.siteUrl },
            admit: this.#admitSearch,
          },
          request,
        );
      case "unknown":
        return this.#answerSiteFile();
    }
  }

  /** Counts a search of the client; returns the client. */
  readonly #admitSearch = (): SearchClient => {
    const network = this.#context.clients.admitSearch(this.#exchange.request);
    return { network, gone: this.#exchange.signal };
  };

  async #answerHistory(request: HistoryRequest): Promise<http.Reply> {
    const { acceptsGzip, target } = this.#exchange;
    const answer = await answerHistory(this.#release, request, { acceptsGzip, admit: this.#admitSearch });
    if (answer === undefined) return this.#refuseScope(request);
    const { path, page, plan } = answer;
    return http.prepareContent(this.#exchange, answer, {
      headers: formatLinks(request, page, target.prefix),
      answeredBy: path,
      searched: { request, total: page.total, plan },
    });
  }

  async #answerTotals(request: TotalsRequest): Promise<http.Reply> {
    const answer = await answerTotals(this.#release, request, this.#admitSearch);
    if (answer === undefined) return this.#refuseScope(request);
    const { path, total } = answer;
    const plan = path === "search" ? this.#release.search.engine : undefined;
    const details = { answeredBy: path, searched: { request, total, plan } };
    return http.prepareContent(this.#exchange, answer, details);
  }

  async #answerGroups(request: GroupsRequest): Promise<http.Reply> {
    const { filters, by, level, sort, limit, offset } = request;
    const client = this.#admitSearch();
    const wanted = { by, level, sort, limit, offset };
    const found = await this.#release.search.findGroups(filters, wanted, client);
    const { all, total, lines } = found;
    const body = formatGroups({ total, ...all, limit, offset }, lines);
    const searched = { request, total: all.records, plan: this.#release.search.engine };
    return http.prepareContent(this.#exchange, { body }, { answeredBy: "search", searched });
  }

  /** A CSV file is made while it is sent. */
  async #answerExport(request: ExportRequest | GroupsExportRequest): Promise<http.Reply> {
    const exchange = this.#exchange;
    const opened = await this.#context.exports.open(this.#release, request, this.#admitSearch);
    if (opened === undefined) return this.#refuseScope({ scope: "search", ...request });
    const isBrief = request.form.hasNames && exchange.target.release === undefined;
    const isHead = exchange.request.method === "HEAD";
    if (isHead) await opened.close();
    const about = {
      Vary: "Accept-Encoding",
      "Content-Type": csvType,
      "Content-Disposition": `attachment; filename="${nameExport(request, this.#release.facts.synced_at)}"`,
      ...(exchange.acceptsGzip ? { "Content-Encoding": "gzip" } : {}),
      // Names can change without the grants, and no purge list has exports with names.
      ...(isBrief ? { "Cache-Control": cacheBriefly } : {}),
    };
    const body = isHead ? null : this.#streamExport(opened);
    const details = { body, answeredBy: opened.path, ...(isBrief ? { isUntilSync: false } : {}) };
    return http.prepareFromRelease(exchange, about, details);
  }

  #streamExport({ chunks, place, close }: Export): SentStream {
    const exchange = this.#exchange;
    const { exports, log } = this.#context;
    const body = { chunks, isGzipped: exchange.acceptsGzip, close };
    const { cut, ...sent } = sendChunks(exchange, body, { ...exports.bounds, log, subject: "export" });
    place.cut = cut;
    return sent;
  }

  #answerDownload({ name }: DownloadRequest): Promise<http.Reply> {
    return answerDownload(this.#exchange, this.#release, name, this.#fileContext("download"));
  }

  #fileContext(subject: SendContext["subject"]): FileContext {
    const { clients, exports, log } = this.#context;
    const network = clients.networkOf(this.#exchange.request);
    return { ...exports.bounds, log, subject, places: exports.filePlaces, network };
  }

  #answerFeed(request: FeedRequest): Preparing {
    const { funderEin } = request.filters;
    if (request.scope === "funder" && findFunderRow(this.#release.funders, Number(funderEin)) === undefined)
      return this.#refuse("funder", funderEin);
    const { changes, siteUrl } = this.#context;
    return answerFeed(this.#exchange, this.#release, request, { changes, siteUrl, admit: this.#admitSearch });
  }

  async #answerTopic(request: TopicRequest): Promise<http.Reply> {
    const answer = request.kind === "summary" ? summarize : answerPeers;
    const body = await answer(this.#release, request, this.#admitSearch);
    if (body !== undefined) return this.#prepareFound(body);
    return { ...this.#refuse(request.of, request.ein), answeredBy: "search" };
  }

  #prepareFound(body: Buffer): Promise<http.Reply> {
    return http.prepareContent(this.#exchange, { body }, { answeredBy: "search" });
  }

  /** Refuses the funder or the recipient that a request's path names. */
  #refuseScope({ scope, filters }: Pick<HistoryRequest, "scope" | "filters">): http.Reply {
    return scope === "recipient"
      ? this.#refuse("recipient", filters.recipientEin)
      : this.#refuse("funder", filters.funderEin);
  }

  #refuse(of: TopicRequest["of"], ein: string | undefined): http.Reply {
    const grants = of === "funder" ? "grants of funder" : "grants to recipient";
    const message = `release ${this.#release.facts.release} has no ${grants} ${ein}`;
    return http.prepareError(this.#exchange, { code: `${of}_not_found`, message });
  }

  async #answerLikelyFunders(request: LikelyFundersRequest): Promise<http.Reply> {
    const found = await answerLikelyFunders(this.#release, request, this.#admitSearch);
    if (found === undefined) return { ...this.#refuse("recipient", request.ein), answeredBy: "search" };
    if (Buffer.isBuffer(found)) return this.#prepareFound(found);
    return { ...http.prepareError(this.#exchange, found), answeredBy: "search" };
  }

  async #answerShared(request: SharedRequest): Promise<http.Reply> {
    const body = await answerShared(this.#release, request, this.#admitSearch);
    return this.#prepareFound(body);
  }

  async #answerGrant(request: GrantRequest): Promise<http.Reply> {
    const body = await answerGrant(this.#release, request, this.#admitSearch);
    if (body !== undefined) return this.#prepareFound(body);
    const message = `release ${this.#release.facts.release} has no grant ${request.id}`;
    return http.prepareError(this.#exchange, { code: "grant_not_found", message });
  }

  async #answerSiteFile(): Promise<http.Reply> {
    const { path } = this.#exchange.target;
    const { site } = this.#release;
    const file = site.get(path) ?? (await this.#context.releases.findAsset(path));
    if (file === undefined || path === missingPage) return prepareNoFile(this.#exchange, site);
    if (!file.type.startsWith("text/html")) return http.prepareContent(this.#exchange, file);
    return http.prepareContent(this.#exchange, this.#tagPage(file), { headers: htmlHeaders });
  }

  /** A page with the title and description of its address. */
  #tagPage(file: SiteFile): http.Content {
    const { path, search } = this.#exchange.target;
    const { siteUrl } = this.#context;
    const { funders, organizations } = this.#release;
    const tags = describePage(path, search, {
      nameOf: (ein) => organizations.findName(ein),
      countOf: (ein) => findFunderRow(funders, Number(ein))?.records,
    });
    if (tags === undefined && siteUrl === "") return file;
    const body = Buffer.from(writeTags(file.body.toString(), tags, siteUrl));
    return { type: file.type, body };
  }
}
