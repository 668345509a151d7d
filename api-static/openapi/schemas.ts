// Lists the JSON Schemas of responses, built from the definitions that responses are written with.
import { likelyFundersSchema } from "../contract/likelyFunders.ts";
import { reportSchema } from "../contract/report.ts";
import type { operations } from "../contract/request.ts";
import { error } from "./schemas/error.ts";
import { fileSchemas } from "./schemas/files.ts";
import { grantSchemas } from "./schemas/grants.ts";
import { organizationSchemas } from "./schemas/names.ts";
import { peerSchemas } from "./schemas/peers.ts";
import { reconcileSchemas } from "./schemas/reconcile.ts";
import { status } from "./schemas/status.ts";
import { summarySchemas } from "./schemas/summaries.ts";

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  ...grantSchemas,
  ...summarySchemas,
  ...peerSchemas,
  ...organizationSchemas,
  ...reconcileSchemas,
  LikelyFunders: likelyFundersSchema,
  ...fileSchemas,
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
