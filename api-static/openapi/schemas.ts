// Lists the JSON Schemas of responses, built from the definitions that responses are written with.
import { changesIndexSchema } from "../contract/answers/changes.ts";
import { likelyFundersSchema } from "../contract/answers/likelyFunders.ts";
import { peerSchemas } from "../contract/answers/peers.ts";
import { reportSchema, statusSchema } from "../contract/answers/report.ts";
import type { operations } from "../contract/request.ts";
import { error } from "./answers.ts";
import { grantSchemas } from "./schemas/grants.ts";
import { namesByEin, organizationSchemas } from "./schemas/names.ts";
import { reconcileSchemas } from "./schemas/reconcile.ts";
import { summarySchemas } from "./schemas/summaries.ts";

/** `components.schemas` of the OpenAPI document. */
export const schemas = {
  ...grantSchemas,
  ...summarySchemas,
  ...peerSchemas,
  ...organizationSchemas,
  ...reconcileSchemas,
  LikelyFunders: likelyFundersSchema,
  NamesByEin: namesByEin,
  ChangesIndex: changesIndexSchema,
  Status: statusSchema,
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
