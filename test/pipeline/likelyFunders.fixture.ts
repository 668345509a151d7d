// Builds SQL of grants by which likely funders are found: funders that each give to one circle of recipients, of one cause in one state.

/** Circles of funders and recipients, two or three of them in each state, two of each cause. */
export const circles = {
  count: 10,
  funders: 12,
  recipients: 12,
  states: ["OH", "TX", "VT", "WA"],
  causes: ["A68", "B20", "E32", "P20", "X20"],
};

const listOf = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(", ")}]`;

export const circleFunder = (circle: number, number: number) => 710000000 + circle * 1000 + number;
export const circleRecipient = (circle: number, number: number) => 720000000 + circle * 1000 + number;

/**
 * SQL of the grants: each recipient got one from six funders of its circle, and more than a year later from a seventh one.
 * @param id of the first one @param newest the time of the newest filings, e.g., "2024-11-19 04:00:00"
 */
export const circleGrantsSql = (id: number, newest: string) => `
SELECT ${id} + circle * 1000 + recipient * 10 + gift AS id, (710000000 + circle * 1000 + (recipient + CASE gift WHEN 6 THEN 8 ELSE gift END) % ${circles.funders})::BIGINT AS funder_ein,
  CASE gift WHEN 6 THEN 2023 ELSE 2021 END AS transaction_year, 'CIRCLE ' || circle || ' FRIENDS ' || recipient AS recipient_name,
  (720000000 + circle * 1000 + recipient)::VARCHAR AS recipient_ein, 'Schedule I' AS type,
  (10 * (1 + (recipient * 7 + gift) % 20))::DECIMAL(18,2) AS amount, 'GENERAL SUPPORT' AS purpose,
  TIMESTAMP '${newest}' - CASE gift WHEN 6 THEN INTERVAL 1 DAY ELSE INTERVAL 500 DAY END AS created_at,
  'Springfield' AS recipient_city, ${listOf(circles.states)}[1 + circle % 4] AS recipient_state
FROM range(${circles.count}) AS circles(circle), range(${circles.recipients}) AS recipients(recipient), range(7) AS gifts(gift)`;

/** SQL of the list of these recipients. */
export const circleListSql = `
SELECT (720000000 + circle * 1000 + recipient)::VARCHAR AS ein, 'CIRCLE ' || circle || ' FRIENDS ' || recipient AS name,
  'SPRINGFIELD' AS city, ${listOf(circles.states)}[1 + circle % 4] AS state,
  ${listOf(circles.causes)}[1 + circle % 5] AS ntee_code
FROM range(${circles.count}) AS circles(circle), range(${circles.recipients}) AS recipients(recipient)`;
