// Configures the build of the site: one HTML file per page, assets with hashed names, nothing inlined.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { pageNames, pages } from "./pages.ts";
import { cleanAddresses } from "./plugins/addresses.ts";
import { renderShells } from "./plugins/shells.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const server = `http://${process.env.HOST ?? "127.0.0.1"}:${process.env.PORT ?? "8080"}`;

export default defineConfig({
  root,
  publicDir: "static",
  plugins: [cleanAddresses(), renderShells()],
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
