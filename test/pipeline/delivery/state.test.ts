// Tests that a publisher that stalled changes nothing, or that its changes are repaired.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { privateHeaders } from "../../../pipeline/delivery/objects.ts";
import { HeldState } from "../../../pipeline/delivery/state.ts";
import { activateRelease } from "../../../pipeline/releases/current.ts";
import { Store } from "../base/bucket/store.fixture.ts";
import { spread, startCommand, syncHere } from "../trust.fixture.ts";
import { useFolder, useParquet } from "../warehouse/warehouse.fixture.ts";
import { describeStore, openBucket, prefix, publishHere, readExpected } from "./publish.fixture.ts";

const folder = useFolder();
const { put } = useParquet(folder);

let data = "";
let store: Store;
/** Ids of two releases. All pages of the second differ from those of the first, and each has a funder that the other has not. */
let [first, second] = ["", ""];
let pagesOfSecond = new Map<string, Buffer>();

beforeAll(async () => {
  data = join(folder.root, "data");
  const make = async (changes: Record<string, string>) => {
    const warehouse = await put("../warehouse.parquet", { ...spread(10), ...changes }, "FROM range(30) t(i)");
    return syncHere(warehouse, data, { MAX_FALL: "100" });
  };
  const idOf = (release: string) => release.split("/").at(-1) ?? "";
  first = idOf(await make({}));
  const release = await make({ funder_ein: "100000001 + i % 10", purpose: "'OTHER'" });
  second = idOf(release);
  pagesOfSecond = await readExpected(release);
});

beforeEach(async () => {
  store = await Store.start();
});

afterEach(() => store.stop());

/** What the store holds after an undisturbed publish of the second release, without the parts of the first one. */
async function describeUndisturbed(): Promise<Record<string, unknown>> {
  const undisturbed = await Store.start();
  await activateRelease(data, second);
  await publishHere(undisturbed, data, { keep: 1 });
  const described = describeStore(undisturbed);
  await undisturbed.stop();
  return described;
}

/**
 * Starts a publish of the first release that stalls after its first attempts to upload pages, which failed. Meanwhile
 * `work` runs; then the publish goes on, `passed` milliseconds later on its clock. Returns its failure.
 */
async function publishPaused(passed: number, work: () => Promise<unknown>): Promise<unknown> {
  await activateRelease(data, first);
  let [time, working]: [number, Promise<unknown> | undefined] = [0, undefined];
  const failed = new Set<string>();
  store.faultOf = ({ method, key }) => {
    if (method !== "PUT" || !key.includes("/v1/funders/") || failed.has(key)) return undefined;
    failed.add(key);
    return "busy";
  };
  const pause = async () => {
    working ??= activateRelease(data, second).then(work);
    await working;
    time = passed;
  };
  return publishHere(store, data, {}, { lease: 60_000, now: () => time }, pause).catch((error) => error);
}

function readState(): Record<string, unknown> {
  return JSON.parse(store.objects.get(`${prefix}publish.json`)?.body.toString() ?? "");
}

/** The pages that are not those of the second release. */
function findWrongPages(): string[] {
  return [...pagesOfSecond].flatMap(([key, body]) =>
    store.objects.get(key)?.body.equals(body) === true ? [] : [key],
  );
}

describe("a publisher that stalled while another one published", () => {
  it("repeats no upload, and has the bucket compared for what it may have sent before", async () => {
    const error = await publishPaused(120_000, () => publishHere(store, data, { keep: 1 }));
    expect(String(error)).toMatch(/LockedError: .*another publish took over/);
    expect(findWrongPages()).toEqual([]);
    expect(readState()).toMatchObject({ release: null, publisher: null });
    await publishHere(store, data, { keep: 1 });
    expect(describeStore(store)).toEqual(await describeUndisturbed());
    expect(await publishHere(store, data)).toBeUndefined();
  });

  it("leaves wrong pages if its clock stalled too, and the next publish repairs them", async () => {
    const error = await publishPaused(0, () => publishHere(store, data));
    expect(String(error)).toMatch(/LockedError: .*another publish took over/);
    const wrong = findWrongPages().length;
    expect(wrong).toBeGreaterThan(0);
    expect(readState()).toMatchObject({ release: null, publisher: null });
    const result = await publishHere(store, data, { keep: 1 });
    expect(result?.uploaded).toBeLessThan(wrong + 10); // and downloads
    expect(findWrongPages()).toEqual([]);
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });

  it("leaves wrong pages that the other one repairs, if that is still at work", async () => {
    const [notes, references]: [string[], string[]] = [[], []];
    let other: ReturnType<typeof publishHere> = Promise.resolve(undefined);
    let firstEnds: (error: unknown) => void = () => {};
    const ended = new Promise((resolve) => {
      firstEnds = resolve;
    });
    const error = await publishPaused(0, () => {
      return new Promise<void>((goOn) => {
        // The other one has uploaded everything when the first one goes on, and ends when that has ended.
        const purge = async (_: readonly string[], reference: string) => {
          references.push(reference);
          goOn();
          await ended;
        };
        const settings = { keep: 1, isForced: true };
        other = publishHere(store, data, settings, { purge, note: (line) => notes.push(line) });
      });
    });
    expect(String(error)).toMatch(/LockedError: .*another publish took over/);
    expect(findWrongPages()).not.toEqual([]);
    firstEnds(error);
    const result = await other;
    expect(notes.join("\n")).toContain("another publisher changed files meanwhile");
    // Only the first pass is forced. CloudFront ignores a purge whose reference it has seen.
    expect(result?.uploaded).toBeGreaterThan(result?.files ?? Infinity);
    expect(result?.uploaded).toBeLessThan(2 * (result?.files ?? 0));
    expect(new Set(references).size).toBe(2);
    expect(await readFile(join(data, "purge.txt"), "utf8")).toBe("/*\n");
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });

  it("stops when its stopped process continues, and the next publish repairs the bucket", async () => {
    await activateRelease(data, first);
    const to = { TO: `s3://${store.bucket}/live`, DATA: data, LEASE_SECONDS: "1" };
    const { child, ended } = startCommand("publish", { ...store.environment, ...to });
    await new Promise<void>((resolve) => {
      store.onRequest = ({ method, key }) => {
        if (method !== "PUT" || !key.includes("/v1/funders/")) return;
        child.kill("SIGSTOP");
        resolve();
      };
    });
    store.onRequest = () => {};
    await activateRelease(data, second);
    await publishHere(store, data, { keep: 1 });
    child.kill("SIGCONT");
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([4, expect.stringContaining("another publish took over")]);
    await publishHere(store, data, { keep: 1 });
    expect(describeStore(store)).toEqual(await describeUndisturbed());
  });
});

describe("a held bucket", () => {
  /** Holds the bucket for a publisher whose clock is `time`. */
  async function hold(time = { now: 0 }) {
    const bucket = openBucket(store);
    const context = { publisher: "own", lease: 60_000, sleep: async () => {}, now: () => time.now };
    const held = await HeldState.hold(bucket, { ...context, note: () => {} }, false);
    return { bucket, held };
  }

  const putState = (changes: object) =>
    store.put(
      `${prefix}publish.json`,
      Buffer.from(JSON.stringify({ version: 2, release: null, publisher: null, beat: 0, ...changes })),
    );

  it("is compared again if a publisher that had stalled disturbed it", async () => {
    const time = { now: 0 };
    putState({ release: first });
    const { bucket, held } = await hold(time);
    expect(held.readForPlan()).toBe(first);
    putState({ publisher: "own" });
    time.now = 40_000;
    await bucket.put("page", Buffer.from("a change"), privateHeaders); // writes the state first
    expect(await held.complete(second)).toBe(false);
    expect(readState()).toMatchObject({ release: null, publisher: "own" });
    expect(held.readForPlan()).toBe(null);
    expect(await held.complete(second)).toBe(true);
    putState({ publisher: "own", beat: 9 });
    await held.release();
    expect(readState()).toMatchObject({ release: null, publisher: null });
    bucket.close();
  });

  it("is disturbed by a publisher that failed for another reason before it lost the bucket", async () => {
    const time = { now: 0 };
    const { bucket, held } = await hold(time);
    store.faultOf = () => "reset";
    time.now = 40_000;
    await expect(bucket.put("page", Buffer.from("a change"), privateHeaders)).rejects.toThrow(
      "did not answer",
    );
    store.faultOf = () => undefined;
    putState({ publisher: "other", release: second, beat: 4 });
    await held.abandon();
    // With the next beat, the other one would take it for its own write.
    expect(readState()).toMatchObject({ publisher: "other", release: null, beat: 6 });
    bucket.close();
  });

  it("is not disturbed by a publisher that still holds it", async () => {
    putState({ release: first });
    const { bucket, held } = await hold();
    store.faultOf = ({ method }) => (method === "PUT" ? "reset" : undefined);
    await held.abandon();
    expect(readState()).toMatchObject({ publisher: "own", release: first });
    bucket.close();
  });

  it("is compared if another version of this project published to it", async () => {
    putState({ version: 1, release: first, started: [second], done: 5 });
    const { bucket, held } = await hold();
    expect(held.readForPlan()).toBe(null);
    bucket.close();
  });
});

describe("the removal of old releases", () => {
  it("is done by the next publish if the process is killed before", async () => {
    await activateRelease(data, first);
    await publishHere(store, data);
    await activateRelease(data, second);
    await publishHere(store, data);
    // As a killed publisher leaves it after it named the release.
    store.put(`${prefix}publish.json`, Buffer.from(JSON.stringify({ ...readState(), publisher: "killed" })));
    await publishHere(store, data, { keep: 1 });
    expect(readState()).toMatchObject({ release: second, publisher: null });
    expect([...store.objects.keys()].filter((key) => key.includes(`/releases/${first}/`))).toEqual([]);
  });

  it("happens while the bucket is held, and only warns if it fails", async () => {
    await activateRelease(data, first);
    await publishHere(store, data);
    await activateRelease(data, second);
    const holders: unknown[] = [];
    store.onRequest = ({ method, key }) => {
      if (method === "DELETE" && key.includes("/releases/")) holders.push(readState().publisher);
    };
    store.faultOf = ({ method, key }) =>
      method === "DELETE" && key.endsWith("/manifest.json") ? "reset" : undefined;
    const notes: string[] = [];
    const result = await publishHere(store, data, { keep: 1 }, { note: (line) => notes.push(line) });
    expect(result).toMatchObject({ release: second });
    expect(holders.length).toBeGreaterThan(5);
    expect(holders).not.toContain(null);
    expect(notes.join("\n")).toMatch(
      /^warning: old releases in the bucket were not removed: .*manifest\.json/m,
    );
    expect(readState()).toMatchObject({ release: second, publisher: null });
  });
});

describe("a publish with FORCE=1", () => {
  it("repairs a part with a flipped bit and a damaged manifest, which a plain publish rejects or cannot see", async () => {
    await activateRelease(data, second);
    await publishHere(store, data);
    const expected = await describeUndisturbed();
    for (const part of ["records", "pages", "manifest.json"]) {
      const key = `${prefix}releases/${second}/${part}`;
      const { body, headers } = store.objects.get(key) ?? { body: Buffer.alloc(0), headers: {} };
      const flipped = Buffer.from(body);
      flipped.writeUInt8(flipped.readUInt8(9) ^ 1, 9);
      store.put(key, flipped, headers);
    }
    store.put(`${prefix}publish.json`, Buffer.from(JSON.stringify({ ...readState(), release: first })));
    await expect(publishHere(store, data)).rejects.toThrow(
      /manifest\.json is damaged, .*FORCE=1 replaces it/,
    );
    await publishHere(store, data, { isForced: true });
    expect(describeStore(store)).toEqual(expected);
    const stored = store.objects.get(`${prefix}releases/${second}/records`)?.body;
    expect(stored?.equals(await readFile(join(data, "releases", second, "records")))).toBe(true);
  });
});
