// Configures the build of the site: one HTML file per page, assets with hashed names, nothing inlined.
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { pageNames, pages } from "./pages.ts";
import { renderShells } from "./plugins/shells.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const server = `http://${process.env.HOST ?? "127.0.0.1"}:${process.env.PORT ?? "8080"}`;

export default defineConfig({
  root,
  publicDir: "static",
  plugins: [cleanAddresses(), dropDescriptions(), renderShells()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy forbids data: URLs
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(pageNames.map((name) => [name, `${root}${pages[name].file}`])),
    },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "^/(v1|r|openapi.json)(/|$|\\?)": server },
  },
});

/** Serves the pages' addresses, such as /funder, from the development server as every host of a release does. */
function cleanAddresses(): Plugin {
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

/** Drops the descriptions of parameters from the pages' scripts: only the guide has them, and it is rendered in the build. */
function dropDescriptions(): Plugin {
  return {
    name: "drop-descriptions",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/contract/parameters.ts")) return null;
      return { code: code.replaceAll(/description:\s*(?:`[^`]*`|"[^"]*"),/g, 'description: "",'), map: null };
    },
  };
}
