// Exports all grants that match the filters, or groups of them, as CSV rows, made as fast as the client takes them.
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type CsvForm,
  formatCsvHeader,
  formatCsvRow,
  groupFields,
  matchCells,
  matchColumns,
} from "../../contract/answers/csv.ts";
import { lineEnd } from "../../contract/answers/envelope.ts";
import { recordFields } from "../../contract/answers/record.ts";
import type { Ein } from "../../contract/ein.ts";
import { exportedGroupsMax } from "../../contract/limits.ts";
import type { GroupsExportRequest } from "../../contract/operations/history.ts";
import type { ExportRequest } from "../../contract/operations/searches.ts";
import { isWholeFunder } from "../../contract/operations/searches.ts";
import { type FunderRow, findFunderRow } from "../../release/layout.ts";
import { type AdmitSearch, type AnswerPath, hasTopic } from "../../search/answer.ts";
import { type SearchClient, SearchQueue, unlimitedBounds } from "../../search/queue.ts";
import type { Release } from "../../search/release.ts";
import { type MatchList, persist, walkMatches } from "../../search/walk.ts";
import { type ExportPlace, ExportPlaces, type PlaceBounds } from "./exportPlaces.ts";

/** Records read in a turn: about 60 KB and one millisecond. */
const batchRecords = 200;

/** Groups that are found at a time. Other totals have their turn in between. */
const groupsAtOnce = 20_000;

/** Bytes of groups that are written in a turn: about as many rows. */
const batchBytes = 16 * 1024;

/** Downloads of files that run at once for each export that may. Together they leave most connections to others. */
const filesPerExport = 16;

export type ExportBounds = PlaceBounds & {
  /** Seconds that may pass without a chunk being sent. */
  readonly seconds: number;
  /** Minutes that an export may take. */
  readonly minutes: number;
};

export type Export = {
  readonly path: AnswerPath;
  /** The text, made chunk by chunk as it is read. */
  readonly chunks: AsyncGenerator<Buffer, void>;
  readonly place: ExportPlace;
  /** Ends the export, even if not all of it was read. Its release stays open until then. */
  readonly close: () => Promise<void>;
};

type Lists = AsyncIterable<MatchList> | Iterable<MatchList>;

/** Lets exports make their rows one chunk at a time, clients in turn, so that the event loop serves other requests in between. */
export class ExportTurns {
  readonly #queue = new SearchQueue({ ...unlimitedBounds, running: 1 });
  readonly #now: () => number;
  readonly #rest: (milliseconds: number) => Promise<void>;

  constructor(now = () => performance.now(), rest: (milliseconds: number) => Promise<void> = setTimeout) {
    this.#now = now;
    this.#rest = rest;
  }

  /**
   * Makes a chunk when the turn of its client comes. It may read a release, so it is never given up halfway.
   * @param network of the client
   * @param isBusy true while searches run: exports then rest for as long as the chunk took, because their threads have a lower
   * priority than the event loop
   */
  make<Chunk>(network: string, isBusy: () => boolean, chunk: () => Promise<Chunk>): Promise<Chunk> {
    return this.#queue.run(
      async () => {
        const start = this.#now();
        const made = await chunk();
        await (isBusy() ? this.#rest(this.#now() - start) : setImmediate());
        return made;
      },
      { network },
    );
  }
}

/** The exports that a server runs. */
export class Exports {
  readonly bounds: ExportBounds;
  readonly places: ExportPlaces;
  /** The places of downloads. There are many: a download holds one chunk, and a program reads several parts of a file at once. */
  readonly filePlaces: ExportPlaces;
  readonly #turns = new ExportTurns();

  /** @param now milliseconds of a monotonic clock */
  constructor(bounds: ExportBounds, now = () => performance.now()) {
    this.bounds = bounds;
    this.places = new ExportPlaces(bounds, now);
    this.filePlaces = new ExportPlaces({ ...bounds, running: bounds.running * filesPerExport }, now);
  }

  /**
   * Opens the requested export; undefined if its path names a funder without records, or a recipient without grants.
   * @param admit called once: every export counts as a search of its client
   * @throws Refusal if too many exports run or the client exceeded its searches per minute, and as a search does
   */
  async open(
    release: Release,
    request: ExportRequest | GroupsExportRequest,
    admit?: AdmitSearch,
  ): Promise<Export | undefined> {
    const { funderEin } = request.filters;
    const funder = funderEin === undefined ? undefined : findFunderRow(release.funders, Number(funderEin));
    if (request.kind === "export" && !hasTopic(release, request)) return undefined;
    const { network = "", gone } = admit?.() ?? {};
    const ending = new AbortController();
    const signal = gone === undefined ? ending.signal : AbortSignal.any([gone, ending.signal]);
    const place = this.places.take(network);
    release.enter();
    let isOpen = true;
    const leave = () => {
      if (isOpen && request.kind === "groupsExport") release.search.dropGroups();
      if (isOpen) release.leave();
      isOpen = false;
      this.places.leave(place);
    };
    try {
      const client = { network, gone: signal };
      const make: MakeChunk = (chunk) => this.#turns.make(network, () => release.search.isBusy, chunk);
      const source: Source = { release, place, client, make };
      const { chunks, ...about } =
        request.kind === "export"
          ? await exportGrants(source, request, funder)
          : await exportGroups({ ...source, client: { ...client, seconds: this.bounds.seconds } }, request);
      const close = async () => {
        ending.abort();
        await chunks.return().finally(leave);
      };
      return { ...about, chunks, place, close };
    } catch (error) {
      leave();
      throw error;
    }
  }
}

/** Makes a chunk in a turn of the client. */
type MakeChunk = <Chunk>(chunk: () => Promise<Chunk>) => Promise<Chunk>;

/** An export that starts: the release it reads, its place, its client and the client's turns. */
type Source = {
  readonly release: Release;
  readonly place: ExportPlace;
  readonly client: SearchClient;
  readonly make: MakeChunk;
};

type Opened = Pick<Export, "path" | "chunks">;

async function exportGrants(
  source: Source,
  { filters, form }: ExportRequest,
  funder: FunderRow | undefined,
): Promise<Opened> {
  const { release, client } = source;
  const isWhole = isWholeFunder(filters);
  const lists = isWhole ? listPositions(funder) : await walkMatches(release.search, filters, client);
  return {
    path: isWhole ? "slice" : "search",
    chunks: formatChunks(source, lists, { form, isMatched: filters.matched !== undefined }),
  };
}

async function exportGroups(
  { release, place, client, make }: Source,
  { by, level, filters, sort, form }: GroupsExportRequest,
): Promise<Opened> {
  const find = (offset: number) => {
    const wanted = { by, level, sort, limit: groupsAtOnce, offset, kept: exportedGroupsMax };
    return release.search.findGroups(filters, wanted, client);
  };
  const first = await find(0);
  const findName = (ein: string) => release.organizations.findName(ein as Ein) ?? "";
  const format = (line: string) => formatCsvRow(line, form, findName, groupFields[by]);
  async function* formatGroups() {
    yield Buffer.from(formatCsvHeader(form, groupFields[by]));
    const end = Math.min(first.total, exportedGroupsMax);
    for (let offset = 0; offset < end; offset += groupsAtOnce) {
      const { lines } = offset === 0 ? first : await persist(() => find(offset), client);
      for (const some of cutLines(lines)) {
        const rows = await make(async () => Buffer.from(some.map(format).join("")));
        yield rows;
        place.count(rows.length);
      }
    }
  }
  return { path: "search", chunks: formatGroups() };
}

/** The lines of groups, some at a time. */
function* cutLines(lines: Buffer): Generator<string[]> {
  for (let from = 0, to = 0; from < lines.length; from = to) {
    to = lines.indexOf(lineEnd, Math.min(from + batchBytes, lines.length - lineEnd.length)) + lineEnd.length;
    yield lines.toString("utf8", from, to - lineEnd.length).split(lineEnd);
  }
}

/** The positions of a whole funder. Its records are contiguous, so this needs no search. */
function* listPositions(
  { first, records }: Pick<FunderRow, "first" | "records"> = { first: 0, records: 0 },
): Generator<MatchList> {
  const end = first + records;
  for (let from = first; from < end; from += batchRecords)
    yield {
      positions: Array.from({ length: Math.min(batchRecords, end - from) }, (_, index) => from + index),
    };
}

async function* formatChunks(
  { release: { records, organizations, matchTexts }, place, make }: Source,
  lists: Lists,
  { form, isMatched }: { readonly form: CsvForm; readonly isMatched: boolean },
): AsyncGenerator<Buffer, void> {
  const findName = (ein: string) => organizations.findName(ein as Ein) ?? "";
  yield Buffer.from(formatCsvHeader(form, recordFields, isMatched ? matchColumns : []));
  const readLines = async (positions: readonly number[]) =>
    (await records.readLinesInTurns(positions)).toString().split(lineEnd).slice(0, -1);
  const format = async ({ positions, json, matches: ids = [] }: MatchList, from: number, to: number) => {
    const lines = json?.slice(from, to) ?? (await readLines(positions.slice(from, to)));
    const matches = isMatched ? await matchTexts.find(ids.slice(from, to)) : [];
    const formatRow = (line: string, index: number) =>
      formatCsvRow(line, form, findName, recordFields, isMatched ? matchCells(matches[index], form) : []);
    return Buffer.from(lines.map(formatRow).join(""));
  };
  for await (const list of lists) {
    for (let from = 0; from < (list.json ?? list.positions).length; from += batchRecords) {
      const rows = await make(() => format(list, from, from + batchRecords));
      yield rows;
      place.count(rows.length);
    }
  }
}
