// Describes the service to clients of the Reconciliation API, and formats its suggestions that need no search.
import { batchMax } from "./limits.ts";
import type { SuggestRequest } from "./reconcile.ts";
import { entityTypes, queryProperties } from "./reconcileQueries.ts";
import { routes } from "./routes.ts";
import { version } from "./version.ts";

/** Size of the frame for previews in pixels. */
const frame = { width: 400, height: 150 };

/**
 * The service manifest. Entities are identified by EINs, as in the list US-EIN of org-id.guide, on every server alike.
 * @param origin where clients reach the service, e.g., "https://grants.example.org"
 * @param prefix of a pinned release, or ""
 */
export function describeService(origin: string, prefix = "") {
  const suggest = (service_path: string) => ({ service_url: origin, service_path: prefix + service_path });
  return {
    versions: ["0.2"],
    name: "US nonprofits by EIN",
    identifierSpace: "http://org-id.guide/list/US-EIN",
    schemaSpace: "https://schema.org/Organization",
    documentation: `${origin}/docs`,
    serviceVersion: version,
    defaultTypes: entityTypes,
    view: { url: `${origin}/recipient?ein={{id}}` },
    preview: { url: `${origin}${prefix}${routes.preview}?id={{id}}`, ...frame },
    suggest: {
      entity: suggest(routes.suggestEntities),
      property: suggest(routes.suggestProperties),
      type: suggest(routes.suggestTypes),
    },
    batchSize: batchMax,
  };
}

/** The properties or types whose id or name starts with the prefix. */
export function suggestTerms({ of, prefix }: SuggestRequest) {
  const terms: readonly { readonly id: string; readonly name: string }[] =
    of === "property" ? queryProperties : entityTypes;
  return terms.filter(({ id, name }) => id.startsWith(prefix) || name.toLowerCase().startsWith(prefix));
}
