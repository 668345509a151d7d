// Builds the OpenAPI document (version 3.1) from the definitions that the server parses requests and writes responses with.

import { releaseId } from "../contract/answers/schema.ts";
import { problemsMax } from "../contract/limits.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { operations } from "../contract/request.ts";
import { version } from "../contract/version.ts";
import { headers, unreadableResponses } from "./answers.ts";
import { describeOperation } from "./operations.ts";
import { schemas } from "./schemas.ts";

const description = `Every grant that US nonprofits report in their annual tax filings (Form 990), as of the last nightly sync.

- Every operation answers GET and HEAD, and one answers POST. OPTIONS answers CORS preflights; any origin may read.
- Lists are ordered by year (newest first), amount (largest first) and id, so pages never overlap or skip.
- A null or unknown value matches no filter. No character of a text has a special meaning.
- Unknown, repeated and blank parameters are errors. One response reports every problem of a request, up to ${problemsMax}.
- Responses are gzipped for clients that accept it, and may be cached until the next sync.`;

/** Every path of the API, and those of them that a release can pin. */
const paths = operations.flatMap((operation: Operation) => {
  const { path, answer, isPinned = path.startsWith("/v1/") } = operation;
  if (answer === undefined) return [];
  const pinned = isPinned ? [[`/r/{release}${path}`, describeOperation(operation, true)] as const] : [];
  return [[path, describeOperation(operation)] as const, ...pinned];
});

/** The document; the same in every process. */
export const openapi = {
  openapi: "3.1.0",
  info: {
    title: "Grant history service",
    version,
    summary: "Grants of US nonprofits, read-only",
    description,
  },
  servers: [{ url: "/", description: "The host that serves this document" }],
  security: [],
  tags: [
    { name: "Grants", description: "Grants, their totals, peers, and organizations." },
    { name: "Service", description: "The state of the service." },
  ],
  paths: Object.fromEntries(paths),
  components: {
    schemas,
    headers,
    responses: unreadableResponses,
    parameters: {
      IfNoneMatch: {
        name: "If-None-Match",
        in: "header",
        description: "ETags of the client's copies; 304 if one of them is current.",
        schema: { type: "string" },
      },
      Release: {
        name: "release",
        in: "path",
        required: true,
        description:
          "A release id, as in the `X-Release` header. Its responses never change, and their `Link` headers stay in the release.",
        schema: releaseId,
      },
    },
  },
};

/** The document's text, as every host serves it. */
export const openapiText = `${JSON.stringify(openapi, null, 1)}\n`;
