// Defines the examples of responses about the service: its status and the report of a sync.
import { version } from "../contract/version.ts";

export const statusExample = {
  success: true,
  version,
  release: "20261120T040000Z",
  synced_at: "2026-11-20T04:00:00Z",
  age_seconds: 68_400,
  next_sync: "2026-11-21T04:00:00Z",
  sync_scheduled: true,
  releases_kept: 3,
  synthetic: true,
  ...{ records: 19_978, funders: 216, recipients: 2_294, first_year: 2009, last_year: 2024 },
  ...{ amount: "5070460849.28", non_cash_amount: "71530206.00" },
  newest_created_at: "2026-06-04T05:51:34Z",
  nulls: {
    recipient_name: 96,
    recipient_ein: 11_865,
    type: 191,
    non_cash_amount: 15_606,
    non_cash_description: 18_466,
    purpose: 375,
  },
  organizations: 209,
  years: [
    { transaction_year: 2024, records: 1_012, amount: "250712098.11" },
    { transaction_year: 2009, records: 18_966, amount: "4819748751.17" },
  ],
  repeated: {
    ...{ records: 137, amount: "2798959.00" },
    years: [{ transaction_year: 2015, records: 137, amount: "2798959.00" }],
  },
  returns: 0,
  places: {
    funder_state: { source: "organizations", unknown: 12 },
    recipient_state: { source: "organizations", unknown: 11_902 },
  },
  matches: {
    ...{ rules_version: 2, why: null, without_ein: 11_769, placed: 11_501, matched: 5_802 },
    recall: { compared: 4_418, agreed: 2_138, share: 0.4839, low: 0.4692, high: 0.4987 },
    rules: [
      {
        ...{ rule: "history", served: true, why: null, records: 5_802 },
        agreement: { compared: 2_187, agreed: 2_138, share: 0.9776, low: 0.9705, high: 0.9831 },
        precision: { compared: 2_140, agreed: 2_138, share: 0.9991, low: 0.9965, high: 0.9998 },
        recall: 0.4839,
        disagreements: { digits: 12, unlisted: 4, same_name: 3, related_name: 2, other_name: 28 },
      },
    ],
  },
};

export const reportExample = {
  success: true,
  release: "20261120T040000Z",
  synced_at: "2026-11-20T04:00:00Z",
  rows: {
    ...{ read: 20_000, accepted: 19_978, rejected: 22 },
    rejected_by_reason: {
      id_missing: 0,
      funder_ein_invalid: 0,
      transaction_year_invalid: 0,
      amount_missing: 20,
      created_at_missing: 0,
      duplicate_id: 2,
    },
    recipient_ein_invalid: 3,
  },
  repeated: {
    ...{ records: 137, amount: "2798959.00" },
    largest: [
      {
        ...{ funder_ein: "131635294", transaction_year: 2015 },
        ...{ filings: 2, records: 137, amount: "2798959.00" },
      },
    ],
  },
  changes: {
    since: "20261119T040000Z",
    ...{ funders_added: 1, funders_changed: 12, funders_removed: 0, funders_same: 203 },
    ...{ records_difference: 118, amount_difference: "2310400.00" },
  },
  pages: { files: 614, linked: 580 },
  syncs: [
    {
      ...{ started_at: "2026-11-20T04:00:00Z", seconds: 13.3, result: "published" },
      ...{ release: "20261120T040000Z", records: 19_978, rejected: 22 },
    },
  ],
};
