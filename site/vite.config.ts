// Configures the build of the site: one HTML file per page, assets with hashed names, nothing inlined.
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { pageNames, pages } from "./pages.ts";
import { writeApiPage } from "./plugins/apiPage.ts";
import { renderShells } from "./plugins/shells.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const server = `http://${process.env.HOST ?? "127.0.0.1"}:${process.env.PORT ?? "8080"}`;

/**
 * The scripts that pages share, in few files: small files compress badly. The first that fits has a module and what it needs.
 * Parts that are loaded later are in none of them.
 */
const chunks = [
  { name: "base", test: /\.(?:tsx?|m?js)$/, minShareCount: pageNames.length }, // of every page
  {
    name: "parts",
    test: /src\/(?:charts\/(?:bar|column|year(?!sSection))|parts\/(?:dataTable|section|notice|failure|waiting|useNarrow|labeled|switch|copy|callBar|fold|filed))/,
    minShareCount: 3,
  },
  {
    name: "grants", // of the pages with grants
    test: /src\/(?:publish\/publishBar|search\/(?:filters|useForm|sentences)|api\/places|parts\/(?:pager|csv|follow|addressProblems\.|grantTable|equalRows|coverage|organizationField|rank)|groups\/(?:top|by|group)|address|charts\/(?:grantSizes|yearsSection)|text\/(?!returns))/,
    minShareCount: 3,
  },
];

export default defineConfig({
  root,
  publicDir: "static",
  plugins: [cleanAddresses(), dropDescriptions(), renderShells(), writeApiPage()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2023",
    assetsInlineLimit: 0, // the content security policy forbids data: URLs
    // A part that is loaded later needs its styles first. Its scripts load each other: pages have most of them already.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) =>
        hostType === "js" ? files.filter((file) => file.endsWith(".css")) : files,
    },
    rolldownOptions: {
      input: Object.fromEntries(pageNames.map((name) => [name, `${root}${pages[name].file}`])),
      output: { codeSplitting: { groups: chunks } },
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

/**
 * Drops from the pages' scripts what they do not use of parameters: descriptions and schemas, which only the guide has, and it is
 * rendered in the build; and how the server finds the grants that pass a filter.
 */
function dropDescriptions(): Plugin {
  const braces = String.raw`\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`; // two levels in them
  const schemas = new RegExp(String.raw`\bschema: ${braces},`, "g");
  const ofServer = /^( +)(?:meets|sql|of|startOf|finders)\b(?=[:(]).*\n(?:\1 .*\n|\1[})\]].*\n)*/gm;
  const fieldSchemas = /\bnullable\((?:[^()]|\([^()]*\))*\)/g; // of groups
  return {
    name: "drop-descriptions",
    enforce: "pre",
    transform(code, id) {
      if (!/\/contract\/(?:parameters|filters\/\w+|operations\/likelyFunders)\.ts$/.test(id)) return null;
      const short = code.replaceAll(/(?:description|about):\s*(?:`(?:[^`\\]|\\.)*`|"[^"]*"),/g, "");
      const withoutSchemas = short.replaceAll(schemas, "schema: {},").replaceAll(fieldSchemas, "null");
      return { code: withoutSchemas.replaceAll(ofServer, ""), map: null };
    },
  };
}
