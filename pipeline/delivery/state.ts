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

/** @throws InputError if the text is not such an object */
function parseState(bucket: Bucket, text: string): PublishedState {
  try {
    const state = JSON.parse(text) as PublishedState | { version: 1; publisher: string | null } | null;
    if (state?.version === 2 && Number.isSafeInteger(state.beat)) return state;
    // Earlier versions had more fields, which say whether the bucket also has files of other releases.
    if (state?.version === 1) return { ...emptyState, publisher: state.publisher };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InputError(
    `${formatAddress(bucket.address, stateName)} is damaged, or from a newer version. Publish everything again with FORCE=1`,
  );
}

/** What a bucket holds; undefined if nothing was ever published there. */
export async function readState(bucket: Bucket): Promise<PublishedState | undefined> {
  const stored = await bucket.get(stateName);
  return stored && parseState(bucket, stored.body.toString());
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

/** Attempts to change the state of a bucket whose holder may write it at the same moment. */
const maxAttempts = 10;

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
    let stored = await bucket.get(stateName);
    const parse = () => {
      if (stored === undefined) return emptyState;
      try {
        return parseState(bucket, stored.body.toString());
      } catch (error) {
        if (isForced && error instanceof InputError) return emptyState;
        throw error;
      }
    };
    let state = parse();
    if (state.publisher !== null) {
      const seconds = Math.ceil(context.lease / 1000);
      context.note(
        `another publish was started and did not end; waiting ${seconds} s to see whether it runs`,
      );
      const before = stored?.etag;
      await context.sleep(context.lease);
      stored = await bucket.get(stateName);
      state = parse();
      if (stored?.etag !== before && state.publisher !== null)
        throw new LockedError(
          `${formatAddress(bucket.address)}: another publish is at work; this one stopped. Wait until it ends`,
        );
      if (state.publisher !== null) state = { ...state, release: null };
    }
    const held = new HeldState(bucket, context, state, stored?.etag);
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
    try {
      this.#state = { ...this.#state, release: null };
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
      if (isChanged && (await this.#isOnlyDisturbed().catch(() => false)))
        return this.#write({ ...changes, release: null });
      const hasStalled = this.#context.now() - this.#savedAt > this.#context.lease;
      this.#failure ??= isChanged ? lostError(this.#bucket, hasStalled, error) : error;
      throw this.#failure;
    }
  }

  /** True if the state was changed by a publisher that had stalled, and this one still holds the bucket. */
  async #isOnlyDisturbed(): Promise<boolean> {
    const stored = await this.#bucket.get(stateName);
    if (stored === undefined) return false;
    if (parseState(this.#bucket, stored.body.toString()).publisher !== this.#context.publisher) return false;
    this.#isDisturbed = true;
    this.#etag = stored.etag;
    return true;
  }

  /** Has all objects of a bucket compared that another publisher took over, whether or not that one is still at work. */
  async #disturb(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await this.#bucket.get(stateName);
      if (stored === undefined) return;
      const state = parseState(this.#bucket, stored.body.toString());
      if (state.publisher === this.#context.publisher) return; // nobody took over
      const disturbed = format({ ...state, release: null, beat: state.beat + 1 });
      try {
        await this.#bucket.putIfSame(stateName, disturbed, privateHeaders, stored.etag);
        return;
      } catch (error) {
        if (!(error instanceof ChangedObject) || attempt === maxAttempts) throw error;
      }
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
