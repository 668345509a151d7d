// Tests that a webhook gets the entry of each new current release, signed, and that no webhook fails a sync.
import { createHmac } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readChain } from "../../../api-static/release/chain.ts";
import { formatChain } from "../../../pipeline/releases/changes/chain.ts";
import { notify, readNotifySettings } from "../../../pipeline/report/notify.ts";
import { runCommand } from "../release.fixture.ts";
import { spread } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);
const key = Buffer.from("0123456789abcdef0123456789abcdef");
const NOTIFY_SECRET = `whsec_${key.toString("base64")}`;
const clock = () => new Date("2026-11-20T04:05:00Z");

type Posted = { readonly headers: IncomingHttpHeaders; readonly body: string };

let server: Server;
let NOTIFY = "";
let posted: Posted[] = [];
/** The status of each answer in turn; then 204. */
let statuses: number[] = [];

beforeEach(async () => {
  [posted, statuses] = [[], []];
  server = createServer(async (request, answer) => {
    posted.push({ headers: request.headers, body: await text(request) });
    answer.writeHead(statuses.shift() ?? 204, { Location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  NOTIFY = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=secret`;
});
afterEach(() => void server.close().closeAllConnections());

/** True if a receiver accepts the signature (standard-webhooks.md, "Verifying signatures"). */
function isSigned({ headers, body }: Posted): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return headers["webhook-signature"] === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

async function notifyHere(environment = { NOTIFY, NOTIFY_SECRET }) {
  const data = join(folder.home, "data");
  await mkdir(join(data, "changes"), { recursive: true });
  const entry = {
    from: null,
    to: "20261120T040000Z",
    at: "2026-11-20T04:04:00Z",
    files: [],
    records: 1,
    digest: "",
  };
  const index = { current: entry.to, entries: [{ ...entry, added: null, changed: null, removed: null }] };
  await writeFile(join(data, "changes/index.json"), formatChain(index));
  const notes: string[] = [];
  const paused: number[] = [];
  const pause = async (milliseconds: number) => paused.push(milliseconds);
  await notify(readNotifySettings(environment), data, { clock, note: (line) => notes.push(line), pause });
  return { notes, paused };
}

describe("NOTIFY", () => {
  it("gets the entry of a release after a sync and after a rollback, and nothing if nothing is new", async () => {
    const WAREHOUSE = await put("w.parquet", spread(3), "FROM range(30) t(i)");
    const environment = { WAREHOUSE, DATA: join(folder.home, "data"), NOTIFY, NOTIFY_SECRET };
    for (const _ of ["new", "nothing new"])
      expect(await runCommand(["sync"], environment)).toMatchObject({ code: 0 });
    expect(await runCommand(["sync"], { ...environment, FORCE: "1" })).toMatchObject({ code: 0 });
    const [first] = (await readChain(environment.DATA))?.entries ?? [];
    expect(await runCommand(["rollback"], { ...environment, TO: first?.to ?? "" })).toMatchObject({
      code: 0,
    });
    const { entries = [] } = (await readChain(environment.DATA)) ?? {};
    expect(posted.map(({ body }) => JSON.parse(body))).toEqual(entries);
    expect(posted.map(isSigned)).toEqual([true, true, true]);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(3);
  });

  it("is tried again with the same id, and a redirect is not followed", async () => {
    statuses = [500, 302];
    expect(await notifyHere()).toEqual({ notes: [], paused: [0, 1_000, 5_000] });
    expect(posted).toHaveLength(3);
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(posted.map(isSigned)).toEqual([true, true, true]);
    expect(posted[0]?.headers["webhook-timestamp"]).toBe("1795147500");
  });

  it("that takes nothing is a warning, without its path", async () => {
    statuses = [503, 503, 503, 410];
    const { host } = new URL(NOTIFY);
    const warning = `warning: NOTIFY at ${host} did not take release 20261120T040000Z:`;
    expect((await notifyHere()).notes).toEqual([`${warning} it answered 410`]);
    server.close();
    server.closeAllConnections();
    expect((await notifyHere()).notes).toEqual([expect.stringContaining(`${warning} connect ECONNREFUSED`)]);
  });

  it("needs a URL and a secret", () => {
    expect(readNotifySettings({})).toBeUndefined();
    expect(readNotifySettings({ NOTIFY: "", NOTIFY_SECRET: "" })).toBeUndefined();
    expect(() => readNotifySettings({ NOTIFY: "example.org", NOTIFY_SECRET })).toThrow(
      "NOTIFY must be a URL",
    );
    for (const secret of [undefined, "whsec_c2hvcnQ=", key.toString("base64"), `whsec_${"A".repeat(100)}`])
      expect(() => readNotifySettings({ NOTIFY, NOTIFY_SECRET: secret })).toThrow(
        "NOTIFY_SECRET must be whsec_ and 24 to 64 bytes in base64",
      );
  });
});
