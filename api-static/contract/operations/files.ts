// Defines the operations that answer with files: files of names, downloads and changes.
import { type ChangesRequest, changesFolder, changesIndexName, parseChangesKey } from "../changes.ts";
import { type DownloadRequest, downloadKey, downloadNames, parseDownloadKey } from "../downloads.ts";
import { type NamesRequest, namesKey, parseNamesKey } from "../names.ts";
import { found, type Operation } from "./operation.ts";
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
