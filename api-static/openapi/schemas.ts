// Lists the JSON Schemas of responses, built from the definitions that responses are written with.
import { reportSchema } from "../contract/report.ts";
import { error } from "./schemas/error.ts";
import { grant, grantWithSource, historyPage } from "./schemas/grants.ts";
import { namesByEin, namesByWord, organization } from "./schemas/names.ts";
import { funderPeers, recipientPeers } from "./schemas/peers.ts";
import { status } from "./schemas/status.ts";
import { funderSummary, recipientSummary, sharedRecipients } from "./schemas/summaries.ts";

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  Grant: grant,
  GrantWithSource: grantWithSource,
  HistoryPage: historyPage,
  FunderSummary: funderSummary,
  RecipientSummary: recipientSummary,
  SharedRecipients: sharedRecipients,
  FunderPeers: funderPeers,
  RecipientPeers: recipientPeers,
  Organization: organization,
  NamesByEin: namesByEin,
  NamesByWord: namesByWord,
  Status: status,
  Report: reportSchema,
  Error: error,
};
