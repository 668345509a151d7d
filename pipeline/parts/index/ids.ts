// Defines SQL of the ids that `index.columns` has for texts.
import { attributes, textsOf } from "../../../api-static/release/attributes.ts";
import { type Dictionary, dictionaries } from "../../../api-static/release/layout.ts";

/** SQL of a text's id, of type INTEGER. A record without a text has the number of texts, which no text has. */
export const textSql = ({ column, texts }: Dictionary) =>
  `coalesce(${column}, (SELECT count(*) FROM ${texts}))::INTEGER`;

/** The attributes that are ids of few distinct texts: states, causes and types. */
export const narrow = attributes.filter(({ width }) => width === "fewest");

/** SQL of the id of such an attribute, of type INTEGER. A record without a text has their number. */
export const idSql = (name: string) =>
  `coalesce(${name}, (SELECT count(*) FROM index.${textsOf(name).table}))::INTEGER`;

/** SQL of the ids of the purpose and the recipient's name. */
export const bothTexts = `${textSql(dictionaries.purpose)}, ${textSql(dictionaries.recipientName)}`;
