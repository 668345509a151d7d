// Walks a funder's whole history as a client's program would, on types generated from /openapi.json.

import type { components, paths } from "grants-contract"; // made by openapi-typescript; the test says where it is
import createClient from "openapi-fetch";

type Grant = components["schemas"]["Grant"];

export type Walk = {
  readonly ids: number[];
  readonly total: number;
  /** Code and parameter of a refused request. */
  readonly refusal: string;
  /** Code of a request for a funder without grants. */
  readonly missing: string | undefined;
  readonly release: string | undefined;
};

/** Walks all grants of a funder page by page, and sends one request that is refused and one for what is missing. */
export async function walk(origin: string, funder_ein: string, unknown_ein: string): Promise<Walk> {
  const client = createClient<paths>({ baseUrl: origin });
  const list = (ein: string, query: { limit: number; offset: number }) =>
    client.GET("/v1/funders/{funder_ein}/history", { params: { path: { funder_ein: ein }, query } });
  const ids: number[] = [];
  let total = 1;
  for (let offset = 0; offset < total; offset += 100) {
    const { data } = await list(funder_ein, { limit: 100, offset });
    if (data === undefined) throw new Error(`no page at offset ${offset}`);
    total = data.total;
    ids.push(...data.data.map(({ id }: Grant) => id));
  }
  const { error } = await list(funder_ein, { limit: 5000, offset: 0 });
  const { error: missing } = await list(unknown_ein, { limit: 1, offset: 0 });
  const { data: status } = await client.GET("/v1/status");
  const refusal = `${error?.code} ${error?.details?.[0]?.parameter}`;
  return { ids, total, refusal, missing: missing?.code, release: status?.release };
}

/** Calls that the types must refuse; never run. */
export function misuse(client: ReturnType<typeof createClient<paths>>, grant: Grant): void {
  // @ts-expect-error there is no such path
  void client.GET("/v2/history");
  // @ts-expect-error there is no such parameter
  void client.GET("/v1/history", { params: { query: { order: "amount" } } });
  // @ts-expect-error limit is a number
  void client.GET("/v1/history", { params: { query: { limit: "many" } } });
  // @ts-expect-error the EIN in the path is required
  void client.GET("/v1/funders/{funder_ein}/history", { params: { path: {} } });
  // @ts-expect-error a purpose may be null
  void grant.purpose.length;
  // @ts-expect-error there is no such field
  void grant.title;
}
