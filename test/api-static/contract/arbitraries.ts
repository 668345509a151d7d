// Generates inputs for property tests: text of every kind, EINs, requests, and noise.
import fc from "fast-check";
import { formatEin } from "../../../api-static/contract/ein.ts";
import type { Filters } from "../../../api-static/contract/filters.ts";
import {
  amountCentsMax,
  einsMax,
  offsetByAmountMax,
  offsetMax,
  pageSizeMax,
  pageSizes,
  textLengthMax,
} from "../../../api-static/contract/limits.ts";
import type { HistoryRequest, TotalsRequest } from "../../../api-static/contract/operations/searches.ts";
import { canonicalText } from "../../../api-static/contract/text/text.ts";

/** Characters that are edge cases of case, composition, order, escaping or trimming. */
const corners = [
  ...'\0\u0001\t\n\r"\\/\u007F\u0085\u00A0\u200B\u2028\u2029\uFEFF\uFFFD%_*+&=#?',
  ..."İIıi\u0307ſKÅΣσςßẞǅǆHJTWYhjtwyΑΗΙΡΥΩäÄéÉ가각\u1100\u1161\u11A7\u11A8",
  ..."\u0301\u0307\u0308\u030A\u030C\u0313\u0327\u0331\u0334\u0342\u0345\u05B0\u094D\u3099\u0897\u1ADA",
  ...["\u{105D2}", "\u{16D67}", "\u{1138B}", "\u{113C2}", "\u{10D50}", "👩‍🌾", "🇺🇸", "𝒜"],
];

const letterWithin = (min: number, max: number) =>
  fc.integer({ min, max }).map((point) => String.fromCodePoint(point));

/** One character of text. fast-check's own graphemes take a second to load; these ranges serve as well. */
const letter = fc.oneof(
  { weight: 4, arbitrary: letterWithin(0x20, 0x7e) },
  { weight: 4, arbitrary: fc.constantFrom(...corners) },
  { weight: 2, arbitrary: letterWithin(0xa0, 0x33ff) }, // marks and letters of living scripts, symbols
  { weight: 1, arbitrary: letterWithin(0, 0xd7ff) },
  { weight: 1, arbitrary: letterWithin(0xe000, 0x10ffff) },
);

/** Any Unicode text without lone surrogates, as a warehouse column can contain it. */
export const text = fc.string({ unit: letter, maxLength: 30 });

/** The canonical text of a filter. */
const filterText = text
  .map(canonicalText)
  .filter((canonical) => canonical !== "" && [...canonical].length <= textLengthMax);

export const ein = fc.integer({ min: 0, max: 999_999_999 }).map(formatEin);

const limit = fc.oneof(fc.constantFrom(1, ...pageSizes), fc.integer({ min: 1, max: pageSizeMax }));
const offset = fc.oneof(fc.constantFrom(0, offsetMax), fc.integer({ min: 0, max: offsetMax }));

const year = fc.integer({ min: 0, max: 9999 });
const cents = fc.bigInt({ min: -amountCentsMax, max: amountCentsMax });

const eins = fc
  .uniqueArray(ein, { minLength: 2, maxLength: einsMax, size: "max" })
  .map((eins) => eins.toSorted());

const state = fc.constantFrom("NY", "CA", "PR", "ZZ");

const otherFilters = {
  recipientEin: ein,
  recipientEins: eins,
  transactionYear: year,
  minYear: year,
  maxYear: year,
  purpose: filterText,
  recipientName: filterText,
  type: filterText,
  funderState: state,
  recipientState: state,
  minAmountCents: cents,
  maxAmountCents: cents,
};

/** By default, fast-check also makes objects without a prototype; ours always have one. */
const plainObject = { noNullPrototype: true } as const;

/** The filters without those that are refused together with others: bounds in the wrong order, and two ways to give one field. */
function withoutConflicts(filters: Filters): Filters {
  const { funderEin, funderEins, recipientEin, recipientEins, transactionYear, ...others } = filters;
  const { minYear, maxYear, minAmountCents, maxAmountCents, ...texts } = others;
  const hasRange = transactionYear === undefined;
  const pairs = Object.entries({
    ...{ funderEin, funderEins: funderEin === undefined ? funderEins : undefined },
    ...{ recipientEin, recipientEins: recipientEin === undefined ? recipientEins : undefined },
    ...{ transactionYear, minYear: hasRange ? minYear : undefined },
    maxYear: hasRange && (minYear ?? 0) <= (maxYear ?? 0) ? maxYear : undefined,
    ...{ ...texts, minAmountCents },
    maxAmountCents:
      (minAmountCents ?? -amountCentsMax) <= (maxAmountCents ?? 0n) ? maxAmountCents : undefined,
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

const searchFilters: fc.Arbitrary<Filters> = fc
  .record({ funderEin: ein, funderEins: eins, ...otherFilters }, { requiredKeys: [], ...plainObject })
  .map(withoutConflicts);

const funderFilters: fc.Arbitrary<Filters> = fc
  .record({ funderEin: ein, ...otherFilters }, { requiredKeys: ["funderEin"], ...plainObject })
  .map(withoutConflicts);

/** A scope and filters that it accepts. */
const anySearch = fc.oneof(
  searchFilters.map((filters) => ({ scope: "search" as const, filters })),
  funderFilters.map((filters) => ({ scope: "funder" as const, filters })),
);

/** A valid history request with any filters. */
export const historyRequest: fc.Arbitrary<HistoryRequest> = fc
  .record({ search: anySearch, sort: fc.constantFrom(undefined, "amount" as const), limit, offset })
  .map(({ search, sort, limit, offset }) => ({
    kind: "history",
    ...search,
    ...(sort && { sort }),
    limit,
    offset: sort === undefined ? offset : Math.min(offset, offsetByAmountMax),
  }));

/** A valid request for totals. */
export const totalsRequest: fc.Arbitrary<TotalsRequest> = anySearch.map((search) => ({
  kind: "totals",
  ...search,
}));

/** A page of a whole funder that may have a file: its limit is a page size, its offset a multiple of it. */
export const pageRequest: fc.Arbitrary<HistoryRequest> = fc
  .record({
    funderEin: ein,
    limit: fc.constantFrom(...pageSizes),
    ratio: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ funderEin, limit, ratio }) => ({
    kind: "history",
    scope: "funder",
    filters: { funderEin },
    limit,
    offset: Math.floor((ratio * offsetMax) / limit) * limit,
  }));

/** A search page that may have a file, whether or not its filters are short enough for a file name. */
export const searchPageRequest: fc.Arbitrary<HistoryRequest> = fc
  .record({
    filters: searchFilters,
    limit: fc.constantFrom(...pageSizes),
    page: fc.integer({ min: 0, max: offsetMax / pageSizeMax }),
  })
  .filter(({ filters }) => Object.keys(filters).join() !== "funderEin")
  .map(({ filters, limit, page }) => ({
    kind: "history",
    scope: "search",
    filters,
    limit,
    offset: page * limit,
  }));

/** Any JavaScript string, including lone surrogates and broken percent-encoding. */
export const noise = fc
  .array(
    fc.oneof(
      fc.string({ unit: letter, maxLength: 8 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        "%",
        "%2",
        "%zz",
        "%C3",
        "%ED%A0%80",
        "%00",
        "/",
        "//",
        "../../",
        "?",
        "&",
        "=",
        "+",
        "#",
        "-",
        "e",
        ".",
      ),
      fc.constantFrom(
        "__proto__",
        "constructor",
        "toString",
        "hasOwnProperty",
        "limit",
        "1e3",
        "0x10",
        "NaN",
      ),
      fc.constantFrom(...corners),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
