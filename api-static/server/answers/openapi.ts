// Has the OpenAPI document as it is sent. It is compressed once: it is large, and requests for it have no limit.
import { openapiText } from "../../openapi/document.ts";
import { digestBody, gzipBody } from "../../release/pageFileFormat.ts";
import type { Content } from "../http/reply.ts";

const body = Buffer.from(openapiText);

export const openapiContent: Content = {
  body,
  digest: digestBody(body),
  gzipped: gzipBody(body),
};
