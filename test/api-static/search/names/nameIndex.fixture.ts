// Builds indexes of organizations' names for tests.
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { Columns } from "../../../../api-static/release/columns.ts";
import { parts } from "../../../../api-static/release/layout.ts";
import { NameIndex } from "../../../../api-static/search/names/nameIndex.ts";
import { NameSearch } from "../../../../api-static/search/names/nameSearch.ts";
import type { OrganizationQuery } from "../../../../api-static/search/names/task.ts";
import { writeOrganizationColumns } from "../../../../pipeline/parts/names/organizationColumns.ts";

export type Listed = {
  readonly ein: number;
  readonly name: string;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly also?: string | null;
  /** Its former name. */
  readonly former?: string;
};

export type Granted = {
  readonly funder: number;
  readonly recipient?: number | null;
  readonly amount?: string;
  readonly name?: string | null;
};

/** Builds the index in a new folder; returns the folder. */
export async function buildIndex(
  listed: readonly Listed[],
  grants: readonly Granted[] = [],
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "organizations-"));
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`CREATE TABLE listed (ein UINTEGER, name VARCHAR, city VARCHAR, state VARCHAR, also VARCHAR);
    CREATE TABLE organization_names (ein UINTEGER, name VARCHAR);
    CREATE TABLE grants (funder_ein UINTEGER, recipient_ein UINTEGER, amount DECIMAL(18, 2), recipient_name VARCHAR, recipient_listable BOOLEAN)`);
  await connection.run("BEGIN");
  for (const { ein, name, city = null, state = null, also = null, former = name } of listed) {
    await connection.run("INSERT INTO listed VALUES ($ein, $name, $city, $state, $also)", {
      ...{ ein, name, city, state, also },
    });
    await connection.run("INSERT INTO organization_names VALUES ($ein, $name), ($ein, $former)", {
      ...{ ein, name, former },
    });
  }
  for (const { funder, recipient = null, amount = "1.00", name = null } of grants)
    await connection.run(
      "INSERT INTO grants VALUES ($funder, $recipient, $amount::DECIMAL(18, 2), $name, true)",
      {
        ...{ funder, recipient, amount, name },
      },
    );
  await connection.run("COMMIT");
  await writeOrganizationColumns(connection, folder, () => {});
  connection.closeSync();
  instance.closeSync();
  return folder;
}

/** The open index of a folder. The caller closes `columns`. */
export function openNames(folder: string) {
  const columns = Columns.open(join(folder, parts.organizationColumns));
  const index = new NameIndex(columns);
  return { columns, index, search: new NameSearch(index) };
}

/** Answers with EINs instead of numbers of organizations. */
export function finder({ index, search }: ReturnType<typeof openNames>) {
  return (name: string, others: Partial<OrganizationQuery> = {}) => {
    const { total, best } = search.find({ name, limit: 100, ...others });
    return {
      total,
      found: best.map(({ id, match, score }) => ({ ein: Number(index.read(id).ein), match, score })),
    };
  };
}
