// Answers with organizations: one by its EIN, some by a name, names of some by their EINs, and files of names.
import { formatBest, formatList, lineEnd } from "../../contract/answers/envelope.ts";
import {
  formatOrganizationLines,
  type ListedOrganization,
  type NamesOfRequest,
  type OrganizationRequest,
  type OrganizationsRequest,
} from "../../contract/operations/organizations.ts";
import { type NamesRequest, namesKey } from "../../contract/text/names.ts";
import { DamagedPage } from "../../release/pageFileFormat.ts";
import { prepareContent, type Reply } from "../http/reply.ts";
import { type Asked, type Replying, refuseOrganization } from "./asked.ts";

export function answerOrganization(asked: Asked, request: OrganizationRequest): Replying {
  const organization = asked.release.organizations.findWhole(request.ein);
  if (organization === undefined) return refuseOrganization(asked, request);
  return prepareContent(asked.exchange, { body: Buffer.from(`{"success":true,"data":${organization}}\n`) });
}

export async function answerOrganizations(
  { exchange, release, admit }: Asked,
  request: OrganizationsRequest,
): Promise<Reply> {
  const { total, organizations } = await release.organizationSearch.find(request, admit());
  const body = formatBest(total, Buffer.from(formatOrganizationLines(organizations)));
  return prepareContent(exchange, { body }, { answeredBy: "search", searched: { request, total } });
}

/**
 * A list of names without a file is empty: a web page that asks for the names of the EINs it shows should not meet errors.
 * @throws DamagedPage if the file is missing or cannot be used
 */
export async function answerNamesFile(
  { exchange, release }: Asked,
  { prefix }: NamesRequest,
): Promise<Reply> {
  const key = namesKey(prefix);
  if (!release.names.has(key)) return prepareContent(exchange, { body: formatList(Buffer.alloc(0)) });
  const file = await release.pageFiles.read(key);
  if (file === undefined) throw new DamagedPage(`${key} is missing`);
  const content = { digest: file.digest, body: file.stored, isGzipped: true };
  return prepareContent(exchange, content, { answeredBy: "file" });
}

/** The names of the organizations that the list has, in the order of the request. Most of them take one synchronous read each. */
export function answerNamesOf({ exchange, release }: Asked, { eins }: NamesOfRequest): Replying {
  const lines = eins.flatMap((sought) => {
    const line = release.organizations.find(sought);
    if (line === undefined) return [];
    const { ein, name, city, state } = JSON.parse(line.toString()) as ListedOrganization;
    return JSON.stringify({ ein, name, city, state }) + lineEnd;
  });
  return prepareContent(exchange, { body: formatList(Buffer.from(lines.join(""))) });
}
