// Defines which texts are amounts, for the returns of the IRS and for warehouses.

/**
 * Digits with at most one point, and perhaps an exponent, as programs print numbers: "500.", ".50", "-1234.5000", "1.5E3". Signs of
 * currencies, separators of thousands and brackets are none: their meaning differs between countries. For JavaScript and SQL.
 */
export const amountPattern = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,2})?`;
