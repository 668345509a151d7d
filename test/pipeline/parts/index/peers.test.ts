// Tests the tables of peers against an oracle that compares every two lists, with any links.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxLinks, maxPeers } from "../../../../api-static/contract/answers/peers.ts";
import { parts, peerTables } from "../../../../api-static/release/layout.ts";
import { openDatabase, sqlText } from "../../../../pipeline/base/database.ts";
import { writePeers } from "../../../../pipeline/parts/index/peers.ts";
import { attachIndex, detachIndex } from "../../../../pipeline/parts/index/projections.ts";
import { findPeers } from "../../../api-static/peersOracle.ts";
import { proofs } from "../../../proofs.ts";

/** A grant of a funder to a recipient. */
type Grant = readonly [funder: number, recipient: number];

let folder = "";
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "peers-"));
  ({ instance, connection } = await openDatabase({ memory: "512MB", threads: 2, spillFolder: folder }));
});

afterAll(async () => {
  connection.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

/** Finds the peers of these grants with the pipeline, in the order of the tables' rows. */
async function writeAndRead(grants: readonly Grant[]) {
  await rm(join(folder, parts.index), { force: true });
  const values = grants.map(([funder, recipient]) => `(${funder}::UINTEGER, ${recipient}::UINTEGER)`);
  await attachIndex(connection, folder);
  for (const table of ["by_recipient", "by_funder"])
    await connection.run(
      `CREATE TABLE index.${table} AS FROM (VALUES ${values.join(", ")}) t(funder_ein, recipient_ein)`,
    );
  const fractions: number[] = [];
  await connection.run("CREATE OR REPLACE TABLE grants AS FROM index.by_recipient");
  await writePeers(connection, (fraction) => fractions.push(fraction));
  await detachIndex(connection);
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
  expect(fractions.at(-1)).toBe(1);
  await connection.run(`ATTACH '${sqlText(join(folder, parts.index))}' AS written (READ_ONLY)`);
  const read = async (table: string) =>
    (await connection.runAndReadAll(`FROM written.${table}`)).getRows().map((row) => row.map(Number));
  const tables = {
    funder: await read(peerTables.funder.table),
    recipient: await read(peerTables.recipient.table),
  };
  await connection.run("DETACH written");
  return tables;
}

/** The rows that both tables must have, in order. */
function expectedTables(grants: readonly Grant[]) {
  const rowsOf = (links: readonly Grant[]) => {
    const { eins, peersOf } = findPeers(
      links.map(([ein, counterpart]) => [String(ein), String(counterpart)] as const),
    );
    return eins
      .toSorted((one, other) => Number(one) - Number(other))
      .flatMap((ein) =>
        peersOf(ein).map(({ peer, shared, counterparts, score }) => [
          Number(ein),
          Number(peer),
          shared,
          counterparts,
          Math.round(score * 1e6),
        ]),
      );
  };
  return {
    funder: rowsOf(grants),
    recipient: rowsOf(grants.map(([funder, recipient]) => [recipient, funder])),
  };
}

describe("the tables of peers", () => {
  it("equal those of an oracle", async () => {
    const ein = fc.integer({ min: 1, max: 14 });
    const grants = fc.array(fc.tuple(ein, ein), { minLength: 1, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(grants, async (list) => {
        expect(await writeAndRead(list)).toEqual(expectedTables(list));
      }),
      { numRuns: proofs.anyPeers },
    );
  });

  it("have at most ten peers of each, and ignore recipients with too many funders", async () => {
    const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    const shared = (recipient: number, funders: number) =>
      range(funders).map((funder): Grant => [funder, recipient]);
    const grants = [...shared(500, maxLinks + 1), ...shared(501, maxLinks), ...shared(502, maxLinks)];
    const tables = await writeAndRead(grants);
    expect(tables).toEqual(expectedTables(grants));
    // All tie, so the lowest EINs are listed; funder 101 shares only recipient 500, which does not count.
    expect(tables.funder.filter(([ein]) => ein === 50)).toEqual(
      range(maxPeers).map((peer) => [50, peer, 2, 3, 1_000_000]),
    );
    expect(tables.funder.filter(([ein]) => ein === maxLinks + 1)).toEqual([]);
  });

  it("rank a small funder of the same rare recipients before a giant that funds everything", async () => {
    const rare: Grant[] = [1, 2].flatMap((funder) =>
      [901, 902].map((recipient): Grant => [funder, recipient]),
    );
    const giant = Array.from({ length: 60 }, (_, index): Grant => [3, 880 + index]);
    const tables = await writeAndRead([...rare, [1, 880], [1, 881], ...giant]);
    const peers = tables.funder.filter(([ein]) => ein === 1).map(([, peer, shared]) => [peer, shared]);
    expect(peers).toEqual([
      [2, 2],
      [3, 4],
    ]);
  });
});
