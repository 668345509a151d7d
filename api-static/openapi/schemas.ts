// Lists the JSON Schemas of responses, built from the definitions that responses are written with.
import { likelyFundersSchema } from "../contract/likelyFunders.ts";
import { reportSchema } from "../contract/report.ts";
import { type Route, routes } from "../contract/routes.ts";
import { changesIndex } from "./schemas/changes.ts";
import { error } from "./schemas/error.ts";
import { grant, grantWithSource, historyPage, recipientHistoryPage } from "./schemas/grants.ts";
import { namesByEin, organization, organizationNames, organizations } from "./schemas/names.ts";
import { funderPeers, recipientPeers } from "./schemas/peers.ts";
import {
  reconcileAnswer,
  reconcileResults,
  reconcileService,
  suggestedOrganizations,
  suggestedTerms,
} from "./schemas/reconcile.ts";
import { status } from "./schemas/status.ts";
import {
  funderSummary,
  groups,
  matchTotals,
  recipientSummary,
  sharedRecipients,
} from "./schemas/summaries.ts";

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  Grant: grant,
  GrantWithSource: grantWithSource,
  HistoryPage: historyPage,
  RecipientHistoryPage: recipientHistoryPage,
  Totals: matchTotals,
  Groups: groups,
  FunderSummary: funderSummary,
  RecipientSummary: recipientSummary,
  SharedRecipients: sharedRecipients,
  FunderPeers: funderPeers,
  RecipientPeers: recipientPeers,
  LikelyFunders: likelyFundersSchema,
  Organization: organization,
  Organizations: organizations,
  OrganizationNames: organizationNames,
  ReconcileService: reconcileService,
  ReconcileResults: reconcileResults,
  ReconcileAnswer: reconcileAnswer,
  SuggestedOrganizations: suggestedOrganizations,
  SuggestedTerms: suggestedTerms,
  NamesByEin: namesByEin,
  ChangesIndex: changesIndex,
  Status: status,
  Report: reportSchema,
  Error: error,
};

/** The schema of the JSON that each operation answers with, by the operation's path. */
export const answerSchemas = {
  [routes.history]: "HistoryPage",
  [routes.funderHistory]: "HistoryPage",
  [routes.recipientHistory]: "RecipientHistoryPage",
  [routes.totals]: "Totals",
  [routes.funderTotals]: "Totals",
  [routes.groups]: "Groups",
  [routes.funderSummary]: "FunderSummary",
  [routes.recipientSummary]: "RecipientSummary",
  [routes.funderPeers]: "FunderPeers",
  [routes.recipientPeers]: "RecipientPeers",
  [routes.likelyFunders]: "LikelyFunders",
  [routes.sharedRecipients]: "SharedRecipients",
  [routes.grant]: "GrantWithSource",
  [routes.organization]: "Organization",
  [routes.organizations]: "Organizations",
  [routes.names]: "OrganizationNames",
  [routes.reconcile]: "ReconcileAnswer",
  [routes.suggestEntities]: "SuggestedOrganizations",
  [routes.suggestProperties]: "SuggestedTerms",
  [routes.suggestTypes]: "SuggestedTerms",
  [routes.namesByEin]: "NamesByEin",
  [routes.changes]: "ChangesIndex",
  [routes.status]: "Status",
  [routes.report]: "Report",
} as const satisfies Partial<Record<Route, keyof typeof schemas>>;
