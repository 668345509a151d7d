// Makes the API guide's content from the OpenAPI document and the contract, when the site is built.
import { formatError } from "../../api-static/contract/errors.ts";
import { parseRequest } from "../../api-static/contract/request.ts";
import { openapi } from "../../api-static/openapi/document.ts";
import { type Guide, toSections } from "../src/docs/guide.ts";
import { formatJson } from "../src/docs/json.ts";

/** A request with two mistakes, to show that one answer reports both. */
const mistaken = "/v1/history?limit=5000&min_amount=1,000";

/** The guide's content. */
export function makeGuide(): Guide {
  return { sections: toSections(openapi as never), mistake: { request: mistaken, answer: answerMistake() } };
}

/** The body that the server sends, made by the code that the server makes it with. */
function answerMistake(): string {
  const [path = "", query = ""] = mistaken.split("?");
  const parsed = parseRequest(path, query);
  if (parsed.kind !== "refused") throw new Error(`${mistaken} is no mistake`);
  const { problems } = parsed;
  const message = problems.map((problem) => problem.message).join("; ");
  return formatJson(formatError({ code: "invalid_parameter", message, problems }));
}
