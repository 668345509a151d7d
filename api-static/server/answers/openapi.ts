// Has the OpenAPI document as it is sent. It is compressed once: it is large, and requests for it have no limit.
import { jsonType } from "../../contract/headers.ts";
import { openapiText } from "../../openapi/document.ts";
import { digestBody, gzipBody } from "../../release/pageFileFormat.ts";
import type { Content } from "../http/prepared.ts";

const body = Buffer.from(openapiText);

export const openapiContent: Content = {
  type: jsonType,
  body,
  digest: digestBody(body),
  isGzipped: false,
  gzipped: gzipBody(body),
};
