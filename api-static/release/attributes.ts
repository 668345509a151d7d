// Defines the attributes of records in `index.columns`, and the orders of the records in which it has them.

/** The orders: by rank, the one that all others are copied from; then those in which the records of a filter are neighbors. */
export const orders = ["rank", "position", "recipient", "likely", "purpose", "recipient_name"] as const;

export type Order = (typeof orders)[number];

/** An attribute of a record: a column of integers in each of its orders. */
export type Attribute = {
  readonly name: string;
  /** Bytes of a value; `fewest`: one, two or four, as few as can have every value. */
  readonly width: 4 | 8 | "fewest";
  /** The table of the index with the texts that the values are ids of. Their number stands for none. */
  readonly texts?:
    | "purposes"
    | "recipient_names"
    | "types"
    | "states"
    | "causes"
    | "towns"
    | "zips"
    | "acceptances";
  readonly orders: readonly Order[];
  /** The order in which the records with each value are a list, in order of rank. */
  readonly lists?: Order;
  readonly about: string;
};

const without = (...others: readonly Order[]) => orders.filter((order) => !others.includes(order));

/** All attributes but the rank, which each order except that by rank has. */
export const attributes: readonly Attribute[] = [
  {
    name: "position",
    width: 4,
    orders: without("position", "purpose", "recipient_name"),
    about: "the line number of the record",
  },
  {
    name: "purpose",
    width: 4,
    texts: "purposes",
    orders: without("purpose"),
    lists: "purpose",
    about: "the text id of the purpose",
  },
  {
    name: "recipient_name",
    width: 4,
    texts: "recipient_names",
    orders: without("recipient_name"),
    lists: "recipient_name",
    about: "the text id of the recipient's name",
  },
  {
    name: "funder_state",
    width: "fewest",
    texts: "states",
    orders,
    about: "the state id of the funder",
  },
  {
    name: "recipient_state",
    width: "fewest",
    texts: "states",
    orders,
    about: "the state id of the recipient",
  },
  {
    name: "funder_cause",
    width: "fewest",
    texts: "causes",
    orders: ["rank"],
    about: "the cause id of the funder",
  },
  {
    name: "recipient_cause",
    width: "fewest",
    texts: "causes",
    orders: ["rank"],
    about: "the cause id of the recipient, or of the likely recipient of a grant without an EIN",
  },
  {
    name: "recipient_city",
    width: "fewest",
    texts: "towns",
    orders: ["rank"],
    about: "the town id of the recipient",
  },
  {
    name: "recipient_zip",
    width: "fewest",
    texts: "zips",
    orders: ["rank"],
    about: "the ZIP code id of the recipient",
  },
  {
    name: "accepts",
    width: "fewest",
    texts: "acceptances",
    orders: ["rank"],
    about: "the id of whether the funder takes applications",
  },
  { name: "amount", width: 8, orders: ["rank"], about: "the amount in cents" },
  { name: "type", width: "fewest", texts: "types", orders: ["rank"], about: "the type id" },
  {
    name: "funder",
    width: 4,
    orders: ["rank"],
    lists: "position",
    about: "the funder's row in the part `funders`",
  },
  {
    name: "recipient",
    width: 4,
    orders: ["rank"],
    lists: "recipient",
    about:
      "the recipient's row in `recipient.ein`, or without an EIN the number of recipients plus the name's text id",
  },
];

/**
 * Marks of records, of which `index.columns` has a bit for each record, by rank: non-cash support; a total over people; a recipient whose EIN
 * is that of a funder; one whose newest return states donor-advised funds. Each has its column and condition in `by_funder`, and the cents
 * that are added up.
 */
export const marks = {
  non_cash: { column: "non_cash_cents", sql: "non_cash_cents IS NOT NULL", cents: "non_cash_cents" },
  individuals: { column: "is_individuals", sql: "is_individuals", cents: "amount_cents" },
  passed_on: { column: "is_passed_on", sql: "is_passed_on", cents: "amount_cents" },
  donor_advised: { column: "is_donor_advised", sql: "is_donor_advised", cents: "amount_cents" },
} as const;

export type MarkName = keyof typeof marks;

/** The columns of marks, separated by commas. */
export const markColumns = Object.values(marks)
  .map(({ column }) => column)
  .join(", ");

/** The texts of an attribute: their table in the index, and the name of their columns, which is its singular. */
export function textsOf(attribute: string): { readonly table: string; readonly column: string } {
  const { texts: table } = attributes.find(({ name }) => name === attribute) ?? {};
  if (table === undefined) throw new TypeError(`${attribute} is no attribute with texts`);
  return { table, column: table.slice(0, -1) };
}

/** The tables of few texts, and their singular. */
export const distinctTexts = [
  ...new Set(attributes.flatMap(({ width, texts }) => (width === "fewest" ? (texts ?? []) : []))),
].map((table) => ({ table, column: table.slice(0, -1) }));

/** The name of an attribute's column in an order. Each order by a text has the other text as `other`. */
export function columnOf(order: Order, attribute: string): string {
  const isOther =
    (order === "purpose" && attribute === "recipient_name") ||
    (order === "recipient_name" && attribute === "purpose");
  return `${order}.${isOther ? "other" : attribute}`;
}

/** The number of recipients, at most, in each order of those with the largest sums. */
export const maxLeaders = 2 ** 20;
