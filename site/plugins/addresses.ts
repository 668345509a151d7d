// Serves the pages' addresses, such as /funder, from the development server as every host of a release does.
import type { Plugin } from "vite";
import { pages } from "../pages.ts";

/** A plugin that maps each page's address to its HTML file. */
export function cleanAddresses(): Plugin {
  const files = new Map(Object.values(pages).map(({ path, file }) => [path, `/${file}`]));
  return {
    name: "clean-addresses",
    configureServer(server) {
      server.middlewares.use((request, _response, next) => {
        const [path = "", ...query] = (request.url ?? "").split("?");
        request.url = [files.get(path) ?? path, ...query].join("?");
        next();
      });
    },
  };
}
