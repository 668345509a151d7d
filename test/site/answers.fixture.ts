// Answers the site's calls as a healthy server never does: failures, silence, and a host without our server.
import type { Page, Route } from "playwright-core";
import { type ErrorCode, formatError, statuses } from "../../api-static/contract/errors.ts";

/** Calls for pages of grants. */
export const historyCalls = /\/v1\/history\?/;

/** Every call of the API. */
export const allCalls = /\/v1\//;

/** The console's message for failed responses. */
export const failed = /status of (?:4|5)\d\d|ERR_(?:INTERNET_DISCONNECTED|FAILED)/;

/** Answers a request as the API does when it fails. */
export const fail =
  (code: ErrorCode, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status: statuses[code],
      contentType: "application/json",
      headers: { "X-Request-Id": "01KAM3Y8Q2", ...headers },
      body: formatError({ code, message: "the search failed" }),
    });

/** Lets no call come to an answer. */
export const neverAnswer = (page: Page) => page.route(historyCalls, () => undefined);

/** Serves files alone, as a static host: calls that need the API's server get the host's own page. */
export const serveFilesAlone = (page: Page) =>
  page.route(allCalls, (route) =>
    /\.json(?:\.gz)?$/.test(new URL(route.request().url()).pathname)
      ? route.continue()
      : route.fulfill({ status: 404, contentType: "text/html", body: "<h1>404: Not Found</h1>" }),
  );
