// Adds /api.md to the built site: the API guide as Markdown, for agents.
import type { Plugin } from "vite";
import { formatApiDocument, siteOpening } from "./apiDocument.ts";
import { makeGuide } from "./guide.ts";

/** A plugin that writes the file. */
export function writeApiPage(): Plugin {
  return {
    name: "write-api-page",
    generateBundle() {
      const source = formatApiDocument(makeGuide(), siteOpening);
      this.emitFile({ type: "asset", fileName: "api.md", source });
    },
  };
}
