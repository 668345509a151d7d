// Defines SQL of the ids that `index.columns` has for texts, types and states.
import { placeFilters } from "../../../api-static/contract/filters.ts";
import { type Dictionary, dictionaries } from "../../../api-static/release/layout.ts";

/** SQL of a text's id, of type INTEGER. A record without a text has the number of texts, which no text has. */
export const textSql = ({ column, texts }: Dictionary) =>
  `coalesce(${column}, (SELECT count(*) FROM ${texts}))::INTEGER`;

/** SQL of the id of a type or a state, of type INTEGER. A record without one has their number. */
export const idSql = (column: string, table: "types" | "states") =>
  `coalesce(${column}, (SELECT count(*) FROM index.${table}))::INTEGER`;

/** The columns of states. */
export const states = Object.values(placeFilters);
/** SQL of the ids of both states. */
export const bothStates = states.map((column) => idSql(column, "states")).join(", ");

/** SQL of the ids of the purpose and the recipient's name. */
export const bothTexts = `${textSql(dictionaries.purpose)}, ${textSql(dictionaries.recipientName)}`;
