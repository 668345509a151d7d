// Answers with a small page about an organization, which clients of the Reconciliation API show in a frame.
import { createHash } from "node:crypto";
import { formatCents } from "../../contract/amount.ts";
import { hyphenateEin } from "../../contract/ein.ts";
import type { PreviewRequest } from "../../contract/operations/reconcile.ts";
import type { Sum } from "../../contract/sizes.ts";
import type { FoundOrganization } from "../../search/names/organizationSearch.ts";
import { originOf } from "../http/exchange.ts";
import { prepareText, type Reply } from "../http/reply.ts";
import { type Asked, refuseOrganization } from "./asked.ts";
import { escapeHtml } from "./pageTags.ts";
import { countGrants } from "./reconcile.ts";

const style = "body{font:14px/1.4 sans-serif;margin:8px}h1{font-size:16px;margin:0}p{margin:4px 0 0}";

/** Other sites may frame the page. It has one style, and loads nothing. */
const previewHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  "Referrer-Policy": "no-referrer",
};

export async function answerPreview(asked: Asked, request: PreviewRequest): Promise<Reply> {
  const { exchange, release, context, admit } = asked;
  const { organizations } = await release.organizationSearch.find({ name: request.ein, limit: 1 }, admit());
  const [organization] = organizations;
  if (organization === undefined) return refuseOrganization(asked, request);
  const page = formatPreview(organization, originOf(exchange, context.siteUrl));
  const prepared = prepareText(exchange, page, "text/html; charset=utf-8", previewHeaders);
  return { ...prepared, answeredBy: "search" };
}

/** @param origin of the site, to which the page's links lead */
function formatPreview(organization: FoundOrganization, origin: string): string {
  const { ein, name, also, city, state, given, received } = organization;
  const place = [also, city, state].filter((part) => part !== undefined && part !== null).join(", ");
  const sides = [
    ["funder", "made", given],
    ["recipient", "received", received],
  ] as const;
  const known = sides.filter(([, , { records }]) => records > 0);
  const lines = known.map(([page, verb, sum]) => {
    const href = `${origin}/${page}?ein=${ein}`;
    return `<p><a href="${escapeHtml(href)}" target="_blank" rel="noopener">${describe(sum)} ${verb}</a></p>`;
  });
  const title = escapeHtml(name ?? `EIN ${hyphenateEin(ein)}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1><p>EIN ${hyphenateEin(ein)}${place === "" ? "" : ` · ${escapeHtml(place)}`}</p>${lines.join("") || "<p>No grants in the data</p>"}</body></html>
`;
}

function describe({ records, amount }: Sum): string {
  const dollars = formatCents(amount).replace(/\B(?=(\d{3})+\.)/g, ",");
  return `${countGrants(records)}, $${dollars}`;
}
