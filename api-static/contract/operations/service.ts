// Defines the operations on the service itself: its state, for people and monitors, its document, and the path for agents.
import type { AnswerMeaning, Operation } from "./operation.ts";

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
