// Answers with one grant, and the return of the IRS that it is from.
import { lineEnd } from "../../contract/envelope.ts";
import type { GrantRequest } from "../../contract/operations/topics.ts";
import { idsPerReturn } from "../../release/layout.ts";
import { keySql } from "../../search/indexDatabase.ts";
import { prepareError, type Reply } from "../http/reply.ts";
import { type Asked, prepareFound } from "./asked.ts";

const positionSql = `SELECT position FROM ids WHERE id = ${keySql}`;

const returnSql = `SELECT irs_return FROM returns WHERE first_id = ${keySql} - ${keySql} % ${idsPerReturn} AND ${keySql} >= 0`;

/** How an import names a return: OBJECT_ID, form, end of the period, source. */
const returnText = /^(\d{18}) (\S+) (\d{4}-\d{2}) (.+)$/;

export async function answerGrant({ exchange, release, admit }: Asked, { id }: GrantRequest): Promise<Reply> {
  const { search, records, facts } = release;
  const found = await search.query(
    BigInt(id),
    async (read) => {
      const [position] = (await read(positionSql))[0] ?? [];
      return position === undefined ? undefined : { position, named: (await read(returnSql))[0]?.[0] };
    },
    admit(),
  );
  if (found === undefined) {
    const message = `release ${facts.release} has no grant ${id}`;
    return prepareError(exchange, { code: "grant_not_found", message });
  }
  const line = records
    .readLines([Number(found.position)])
    .toString()
    .slice(0, -lineEnd.length);
  const source = formatSource(String(found.named ?? ""), id);
  const body = `{"success":true,"data":${line},"source":${JSON.stringify(source)}}\n`;
  return prepareFound(exchange, Buffer.from(body));
}

/** The return that a text names; null if the text has another form. */
function formatSource(text: string, id: string) {
  const [, object_id, form, period, source = ""] = returnText.exec(text) ?? [];
  if (object_id === undefined) return null;
  const zip = source.endsWith(".zip") ? source : null; // else it was read from loose files
  return {
    object_id,
    form: form === "990PF" ? "990-PF" : form,
    period,
    zip,
    row: Number(BigInt(id) % BigInt(idsPerReturn)),
  };
}
