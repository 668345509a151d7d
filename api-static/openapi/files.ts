// Describes the paths of page files and of files of names for the OpenAPI document.
import { changesIndexName, changesTypes } from "../contract/changes.ts";
import { downloadNames, downloadTypes } from "../contract/downloads.ts";
import { einDigitsSchema } from "../contract/ein.ts";
import { pageSizes, searchNameMax } from "../contract/limits.ts";
import { routes } from "../contract/routes.ts";
import type { Schema } from "../contract/schema.ts";
import { answer, type Described, found, ifNoneMatch, json, page } from "./answers.ts";
import examples from "./examples.json" with { type: "json" };

const pageName = inPath(
  "page",
  "The limit, a hyphen, and the offset, which is a multiple of the limit. Only lists of more than 100 records have files at limit 1000; a server answers for the others too.",
  { type: "string", pattern: `^(${pageSizes.join("|")})-\\d{1,10}$`, examples: ["100-0"] },
);

const search = inPath(
  "search",
  "The filters as in the query of the canonical URL, which the Link header shows; `all` if there are none.",
  {
    type: "string",
    maxLength: searchNameMax,
    pattern: "^(all|[A-Za-z0-9*._+%=&-]+)$",
    examples: ["transaction_year=2023&min_amount=10000.00", "all"],
  },
);

const index = json(routes.changes, examples.readChanges);

const binary = { schema: { type: "string", format: "binary" } };

/** A whole file, or the bytes of a part. */
function bytes(description: string, ...more: readonly ["Content-Range"] | []): Schema {
  const types = Object.values(downloadTypes).map((type) => type.replace(/;.*/, ""));
  const isJson = (type: string) => more.length === 0 && type.endsWith("json");
  const content = types.map((type) => [type, isJson(type) ? { schema: { type: "object" } } : binary]);
  const names = ["X-Release", "ETag", "Accept-Ranges", "Content-Length", ...more] as const;
  return answer(description, names, Object.fromEntries(content));
}

/** The operations that read a file, by path. */
export const fileOperations: Readonly<Record<string, Described>> = {
  [routes.funderPage]: {
    id: "readFunderPage",
    summary: "One page of a funder's whole history, by its file name",
    tag: "Grants",
    parameters: [
      inPath("funder_ein", "EIN of the funder.", { ...einDigitsSchema, examples: ["131635294"] }),
      pageName,
      ifNoneMatch,
    ],
    answers: page(examples.readFunderPage),
    codes: ["funder_not_found", "not_found", "not_ready"],
  },
  [routes.totalsPage]: {
    id: "readSearchTotals",
    summary: "The totals of a search, by the name of their file, which need not exist",
    tag: "Grants",
    parameters: [search, ifNoneMatch],
    answers: found("The totals.", json(routes.totals, examples.readSearchTotals)),
    codes: ["not_found", "rate_limited", "overloaded", "timeout", "not_ready"],
  },
  [routes.searchPage]: {
    id: "readSearchPage",
    summary: "One page of a search, by the name of its file, which need not exist",
    tag: "Grants",
    parameters: [search, pageName, ifNoneMatch],
    answers: page(examples.readSearchPage),
    codes: ["not_found", "rate_limited", "overloaded", "timeout", "not_ready"],
  },
  [routes.namesByEin]: {
    id: "listNamesByEin",
    summary: "Names of the funders whose EINs start with these digits",
    tag: "Grants",
    parameters: [
      inPath("digits", "The first four digits of the EINs.", {
        type: "string",
        pattern: "^\\d{4}$",
        examples: ["1316"],
      }),
      ifNoneMatch,
    ],
    answers: found(
      "The names; empty if no such funder has one.",
      json(routes.namesByEin, examples.listNamesByEin),
    ),
    codes: ["not_found", "not_ready"],
  },
  [routes.download]: {
    id: "downloadFile",
    summary:
      "All grants of the release in one file, all matches, their description, or the digests of the files",
    tag: "Grants",
    parameters: [
      inPath("file", "The name of the file.", {
        type: "string",
        enum: downloadNames,
        examples: ["grants.parquet"],
      }),
      ifNoneMatch,
      inHeader("Range", "The bytes to send. A GET for several ranges gets the whole file.", "bytes=0-99"),
      inHeader(
        "If-Range",
        "The ETag of the file that the client has a part of; another file is sent whole.",
        '"…"',
      ),
    ],
    answers: {
      200: bytes("The file."),
      206: bytes("The part of the file.", "Content-Range"),
      304: answer("The client's copy is current.", ["ETag", "Accept-Ranges", "X-Release"]),
    },
    codes: ["not_found", "precondition_failed", "range_not_satisfiable", "overloaded", "not_ready"],
  },
  [routes.changes]: {
    id: "readChanges",
    summary: "The index of the changes between releases, or a file of changes that it names",
    tag: "Grants",
    parameters: [
      inPath("file", "`index.json`, or the name of a file in the index.", {
        type: "string",
        examples: [changesIndexName],
      }),
      ifNoneMatch,
    ],
    answers: {
      200: answer("The index or the file.", ["ETag", "X-Release"], {
        "application/json": { schema: index.schema, example: index.example },
        ...Object.fromEntries(Object.values(changesTypes).map((type) => [type, binary])),
      }),
      304: answer("The client's copy is current.", ["ETag", "X-Release"]),
    },
    codes: [
      ...(["not_found", "release_too_old", "precondition_failed", "range_not_satisfiable"] as const),
      ...(["overloaded", "not_ready"] as const),
    ],
  },
};

function inHeader(name: string, description: string, example: string): Schema {
  return { name, in: "header", description, schema: { type: "string", examples: [example] } };
}

function inPath(name: string, description: string, schema: Schema): Schema {
  return { name, in: "path", required: true, description, schema };
}
