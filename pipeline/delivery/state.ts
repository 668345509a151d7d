// Reads and writes the small object that says which release a bucket holds, and lets only one publisher write.

import { formatAddress } from "../base/bucket/address.ts";
import { type Bucket, ChangedObject } from "../base/bucket/bucket.ts";
import { InputError, LockedError } from "../base/failure.ts";
import { privateHeaders } from "./objects.ts";

/** Its name in the bucket. */
const stateName = "publish.json";

/** What a bucket holds. */
export type PublishedState = {
  readonly version: 2;
  /** The release whose public files are all there; null if nobody knows which files are there. */
  readonly release: string | null;
  /** The publisher that is at work; null if there is none. */
  readonly publisher: string | null;
  /** Increased with every write, which shows that a publisher is at work. */
  readonly beat: number;
};

/** The state of a bucket that nothing was published to. */
const emptyState: PublishedState = { version: 2, release: null, publisher: null, beat: 0 };

/** The state that a text holds; undefined if it is damaged, or from a newer version. */
function parseState(text: string): PublishedState | undefined {
  try {
    const state = JSON.parse(text) as PublishedState | { version: 1; publisher: string | null } | null;
    // Version 1 had more fields, which say whether the bucket also has files of other releases.
    if (state?.version === 1) return { ...emptyState, publisher: state.publisher };
    return state?.version === 2 ? state : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What a bucket holds, and the ETag of that object, which is undefined if nothing was ever published there.
 * @param isForced true to take a damaged state for none
 * @throws InputError if the state is damaged
 */
export async function readState(
  bucket: Bucket,
  isForced = false,
): Promise<{ readonly state: PublishedState; readonly etag: string | undefined }> {
  const stored = await bucket.get(stateName);
  const state = stored === undefined ? emptyState : parseState(stored.body.toString());
  if (state === undefined && !isForced)
    throw new InputError(
      `${formatAddress(bucket.address, stateName)} is damaged, or from a newer version. Publish everything again with FORCE=1`,
    );
  return { state: state ?? emptyState, etag: stored?.etag };
}

/** The dependencies of a publisher that holds a bucket. */
export type HoldContext = {
  /** A random id of this publisher. */
  readonly publisher: string;
  /** Milliseconds without a sign of life after which another publisher counts as killed. */
  readonly lease: number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
  readonly note: (line: string) => void;
};

/**
 * The state of a bucket that this process alone may change, until another publisher takes it over. While a bucket is held, every
 * attempt to change one of its objects first checks that it still is.
 *
 * A publisher that takes over does not know which files the bucket has, and neither does anyone after a publisher that stalled: it
 * may send requests before it notices that another one took over. So both set `release` to null, and all objects are then compared.
 */
export class HeldState {
  readonly #bucket: Bucket;
  readonly #context: HoldContext;
  #state: PublishedState;
  #etag: string | undefined;
  #savedAt: number;
  #saving: Promise<void> = Promise.resolve();
  #renewing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** True if a publisher that had stalled changed files since the state was read for a plan. */
  #isDisturbed = false;

  private constructor(bucket: Bucket, context: HoldContext, state: PublishedState, etag: string | undefined) {
    this.#bucket = bucket;
    this.#context = context;
    this.#state = state;
    this.#etag = etag;
    this.#savedAt = context.now();
  }

  /**
   * Holds a bucket. If another publisher seems to be at work, waits for a lease to see whether it is.
   * @param isForced true to hold it even if the state is damaged
   * @throws LockedError if another publisher is at work
   */
  static async hold(bucket: Bucket, context: HoldContext, isForced: boolean): Promise<HeldState> {
    let { state, etag } = await readState(bucket, isForced);
    if (state.publisher !== null) {
      const seconds = Math.ceil(context.lease / 1000);
      context.note(
        `another publish was started and did not end; waiting ${seconds} s to see whether it runs`,
      );
      const before = etag;
      await context.sleep(context.lease);
      ({ state, etag } = await readState(bucket, isForced));
      if (etag !== before && state.publisher !== null)
        throw new LockedError(
          `${formatAddress(bucket.address)}: another publish is at work; this one stopped. Wait until it ends`,
        );
      if (state.publisher !== null) state = { ...state, release: null };
    }
    const held = new HeldState(bucket, context, state, etag);
    await held.#save({});
    held.#timer = setInterval(() => void held.#renew().catch(() => {}), context.lease / 3).unref();
    bucket.beforeChange = () => held.#check();
    return held;
  }

  /** The release whose files the bucket has; null if that is not known. Disturbances from now on are noticed by `complete`. */
  readForPlan(): string | null {
    this.#isDisturbed = false;
    return this.#state.release;
  }

  /** The number of the last write: it differs between two passes of a publish. */
  get beat(): number {
    return this.#state.beat;
  }

  /** Names the release that the bucket now holds. Returns false if files were changed meanwhile: then all must be compared again. */
  async complete(release: string): Promise<boolean> {
    await this.#save({ release: this.#isDisturbed ? null : release });
    return this.#state.release !== null;
  }

  /** Prevents all further changes, because a part of the work failed. */
  stop(error: unknown): void {
    this.#failure ??= error;
  }

  /** Lets go of the bucket. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    await this.#write({ publisher: null });
  }

  /**
   * Lets go of the bucket after a failure, if that is possible, so that the next run need not wait. Call it when all requests
   * have ended.
   */
  async abandon(): Promise<void> {
    this.#state = { ...this.#state, release: null };
    try {
      await this.release();
    } catch {
      await this.#disturb().catch((error: Error) =>
        this.#context.note(`warning: the bucket may have files of this release: ${error.message}`),
      );
    }
  }

  /** Returns once this publisher is known to hold the bucket. @throws LockedError if another publisher took over */
  async #check(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#context.now() - this.#savedAt <= this.#context.lease / 2) return;
    await this.#renew();
  }

  /** Renews the lease, by one write for all callers, because dozens of uploads run at the same time. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#save({}).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Writes changes of the state, one write after the other. @throws LockedError if another publisher took over */
  #save(changes: Partial<PublishedState>): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write({ publisher: this.#context.publisher, ...changes }));
    return this.#saving;
  }

  async #write(changes: Partial<PublishedState>): Promise<void> {
    const start = this.#context.now();
    this.#state = { ...this.#state, ...changes, beat: this.#state.beat + 1 };
    try {
      this.#etag = await this.#bucket.putIfSame(stateName, format(this.#state), privateHeaders, this.#etag);
      this.#savedAt = start;
    } catch (error) {
      const isChanged = error instanceof ChangedObject;
      const found = isChanged ? await readState(this.#bucket).catch(() => undefined) : undefined;
      if (found?.state.publisher === this.#context.publisher) {
        // A publisher that had stalled changed the state; this one still holds the bucket.
        this.#isDisturbed = true;
        this.#etag = found.etag;
        return this.#write({ ...changes, release: null });
      }
      const hasStalled = this.#context.now() - this.#savedAt > this.#context.lease;
      this.#failure ??= isChanged ? lostError(this.#bucket, hasStalled, error) : error;
      throw this.#failure;
    }
  }

  /**
   * Has all objects of a bucket compared that another publisher took over, whether or not that one is still at work.
   * @param attempts because its holder may write the state at the same moment
   */
  async #disturb(attempts = 10): Promise<void> {
    const { state, etag } = await readState(this.#bucket);
    if (etag === undefined || state.publisher === this.#context.publisher) return; // nobody took over
    // The holder's own next write would have the next beat, and it takes equal bytes for its own.
    const disturbed = format({ ...state, release: null, beat: state.beat + 2 });
    try {
      await this.#bucket.putIfSame(stateName, disturbed, privateHeaders, etag);
    } catch (error) {
      if (!(error instanceof ChangedObject) || attempts === 1) throw error;
      await this.#disturb(attempts - 1);
    }
  }
}

function format(state: PublishedState): Buffer {
  return Buffer.from(`${JSON.stringify(state, null, 2)}\n`);
}

function lostError(bucket: Bucket, hasStalled: boolean, cause: unknown): LockedError {
  const why = hasStalled ? ", because this one stalled for longer than LEASE_SECONDS" : "";
  return new LockedError(
    `${formatAddress(bucket.address)}: another publish took over${why}; this one stopped. Wait until it ends, then run \`make publish\` again where the newest release is: it repairs what this one changed`,
    { cause },
  );
}
