// Defines the operations that answer with files, and those on the service itself: its state, its document, and the path for agents.
import { type ChangesRequest, changesFolder, changesIndexName, parseChangesKey } from "../answers/changes.ts";
import { type DownloadRequest, downloadKey, downloadNames, parseDownloadKey } from "../answers/downloads.ts";
import { type NamesRequest, namesKey, parseNamesKey } from "../text/names.ts";
import { type AnswerMeaning, found, type Operation } from "./operation.ts";
import { keyPath } from "./searches.ts";

const keyOfNames = ({ prefix }: NamesRequest) => namesKey(prefix);
const keyOfDownload = ({ name }: DownloadRequest) => downloadKey(name);
const keyOfChanges = ({ name }: ChangesRequest) => `${changesFolder}/${name}`;

const fileErrors = [
  "not_found",
  "precondition_failed",
  "range_not_satisfiable",
  "overloaded",
  "not_ready",
] as const;

export const fileOperations = [
  {
    id: "listNamesByEin",
    summary: "Names of the funders whose EINs start with these digits",
    path: "/v1/names/eins/{digits}.json",
    inPath: {
      digits: {
        description: "The first four digits of the EINs.",
        schema: { type: "string", pattern: "^\\d{4}$", examples: ["1316"] },
      },
    },
    answer: { about: "The names; empty if no such funder has one.", schema: "NamesByEin", headers: found },
    errors: ["not_found", "not_ready"],
    parseKey: parseNamesKey,
    href: (request: NamesRequest) => keyPath(keyOfNames(request)),
    keyOf: keyOfNames,
  },
  {
    id: "downloadFile",
    summary:
      "All grants of the release in one file, all matches, their description, or the digests of the files",
    path: "/v1/downloads/{file}",
    inPath: {
      file: {
        description: "The name of the file.",
        schema: { type: "string", enum: downloadNames, examples: ["grants.parquet"] },
      },
    },
    answer: { about: "The file.", headers: ["X-Release", "ETag", "Accept-Ranges", "Content-Length"] },
    errors: fileErrors,
    parseKey: parseDownloadKey,
    href: (request: DownloadRequest) => keyPath(keyOfDownload(request)),
    keyOf: keyOfDownload,
    file: "part",
    isCached: false,
  },
  {
    id: "readChanges",
    summary: "The index of the changes between releases, or a file of changes that it names",
    path: "/v1/changes/{file}",
    inPath: {
      file: {
        description: "`index.json`, or the name of a file in the index.",
        schema: { type: "string", examples: [changesIndexName] },
      },
    },
    answer: { about: "The index or the file.", schema: "ChangesIndex", headers: ["ETag", "X-Release"] },
    errors: ["release_too_old", ...fileErrors],
    parseKey: parseChangesKey,
    href: (request: ChangesRequest) => keyPath(keyOfChanges(request)),
    keyOf: keyOfChanges,
    file: "changes",
    isCached: false,
  },
] as const satisfies readonly Operation[];

/** A request that has nothing but its operation. Its parameters have no effect. */
function fixed<const Kind extends string>(kind: Kind) {
  return { isLenient: true, parseKey: (): { readonly kind: Kind } => ({ kind }) } as const;
}

const plain = (about: string) => ({ about, type: "text/plain" }) satisfies AnswerMeaning;

export const serviceOperations = [
  {
    id: "readStatus",
    summary: "The release being served: counts, age, next sync",
    path: "/v1/status",
    answer: { about: "The status.", schema: "Status", headers: ["X-Release"] },
    errors: ["not_ready"],
    ...fixed("status"),
  },
  {
    id: "readReport",
    summary: "The report of the sync: rows, changes, page files; the last syncs",
    path: "/v1/report",
    answer: { about: "The report.", schema: "Report", headers: ["X-Release"] },
    errors: ["not_ready"],
    ...fixed("report"),
  },
  {
    id: "readContract",
    summary: "This document",
    path: "/openapi.json",
    answer: { about: "The document.", headers: ["ETag", "Vary"] },
    ...fixed("openapi"),
    keyOf: () => "openapi.json",
    file: "site",
  },
  {
    id: "readHealth",
    summary: "Whether the process is alive",
    path: "/healthz",
    answer: plain("The process is alive."),
    ...fixed("health"),
    isCached: false,
  },
  {
    id: "readReadiness",
    summary: "Whether a release is open",
    path: "/readyz",
    answer: plain("A release is open."),
    errors: ["not_ready"],
    ...fixed("ready"),
    isCached: false,
  },
  {
    // Agents speak the Model Context Protocol here. It is no operation of the API, and no release pins it.
    id: "callTools",
    summary: "Tools for agents",
    path: "/mcp",
    methods: "POST, OPTIONS",
    ...fixed("tools"),
    isCached: false,
  },
] as const satisfies readonly Operation[];
