// Lists the JSON Schemas of responses, built from the definitions that responses are written with.
import { reportSchema } from "../contract/report.ts";
import type { operations } from "../contract/request.ts";
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

type Described = Extract<(typeof operations)[number], { answer: { schema: string } }>;

/** The path of an operation that answers JSON. */
export type JsonPath = Described["path"];

/** The schema of the JSON that an operation answers with, by the operation's path. */
export type SchemaOf<Path extends JsonPath> = (typeof schemas)[Extract<
  Described,
  { path: Path }
>["answer"]["schema"]];
