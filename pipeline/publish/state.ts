// Reads and writes the small object that says which release a bucket holds, and lets only one publisher write.

import { InputError, LockedError } from "../base/failure.ts";
import { formatAddress } from "../bucket/address.ts";
import { type Bucket, ChangedObject } from "../bucket/bucket.ts";
import { privateHeaders } from "./objects.ts";

/** Its name in the bucket. */
const stateName = "publish.json";

/** What a bucket holds. */
export type PublishedState = {
  readonly version: 1;
  /** The release whose public files are all there; null before the first publish has ended. */
  readonly release: string | null;
  /** Releases whose publish was started after that and has not ended, in order. */
  readonly started: readonly string[];
  /** How many changes of the last started publish are done. */
  readonly done: number;
  /** The publisher that is at work; null if there is none. */
  readonly publisher: string | null;
  /** Increased with every write, which shows that a publisher is at work. */
  readonly beat: number;
};

/** The state of a bucket that nothing was published to. */
export const emptyState: PublishedState = {
  version: 1,
  release: null,
  started: [],
  done: 0,
  publisher: null,
  beat: 0,
};

/** @throws InputError if the text is not such an object */
function parseState(bucket: Bucket, text: string): PublishedState {
  try {
    const state = JSON.parse(text) as PublishedState | null;
    if (state?.version === 1 && Array.isArray(state.started) && Number.isSafeInteger(state.done))
      return state;
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

/** What holding a bucket needs from outside. */
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

/** The state of a bucket that this process alone may change, until another publisher takes it over. */
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

  private constructor(bucket: Bucket, context: HoldContext, state: PublishedState, etag: string | undefined) {
    this.#bucket = bucket;
    this.#context = context;
    this.#state = state;
    this.#etag = etag;
    this.#savedAt = context.now();
  }

  /**
   * Takes hold of a bucket. If another publisher seems to be at work, watches for the time of a lease whether it is.
   * @param isForced true to take hold although the state is damaged
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
    if (parse().publisher !== null) {
      const seconds = Math.ceil(context.lease / 1000);
      context.note(
        `another publish was started and did not end; waiting ${seconds} s to see whether it runs`,
      );
      const before = stored?.etag;
      await context.sleep(context.lease);
      stored = await bucket.get(stateName);
      if (stored?.etag !== before && parse().publisher !== null) throw lockedError(bucket);
    }
    const held = new HeldState(bucket, context, parse(), stored?.etag);
    await held.save({});
    held.#timer = setInterval(() => void held.#renew().catch(() => {}), context.lease / 3).unref();
    return held;
  }

  get state(): PublishedState {
    return this.#state;
  }

  /** Writes changes of the state, one write after the other. @throws LockedError if another publisher took over */
  save(changes: Partial<PublishedState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(publisher: string | null = this.#context.publisher): Promise<void> {
    const start = this.#context.now();
    this.#state = { ...this.#state, publisher, beat: this.#state.beat + 1 };
    const body = Buffer.from(`${JSON.stringify(this.#state, null, 2)}\n`);
    try {
      this.#etag = await this.#bucket.putIfSame(stateName, body, privateHeaders, this.#etag);
      this.#savedAt = start;
    } catch (error) {
      this.#failure = error instanceof ChangedObject ? lockedError(this.#bucket, error) : error;
      throw this.#failure;
    }
  }

  /** Records how many changes are done. It is written with the next sign of life, so a run that is killed repeats few of them. */
  countDone(done: number): void {
    this.#state = { ...this.#state, done };
  }

  /** Returns once this publisher is known to hold the bucket. @throws LockedError if another publisher took over */
  async check(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#context.now() - this.#savedAt <= this.#context.lease / 2) return;
    await this.#renew();
  }

  /** Shows a sign of life: by one write for all that ask at once, because dozens of uploads run at the same time. */
  #renew(): Promise<void> {
    this.#renewing ??= this.save({}).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Lets go of the bucket; the state is written a last time. */
  async release(changes: Partial<PublishedState> = {}): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    this.#state = { ...this.#state, ...changes };
    await this.#write(null);
  }

  /** Stops writing, after a failure. Lets go of the bucket if that is possible, so that the next run need not wait. */
  async abandon(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#failure === undefined) await this.release().catch(() => {});
  }
}

function lockedError(bucket: Bucket, cause?: unknown): LockedError {
  const address = formatAddress(bucket.address);
  return new LockedError(`${address}: another publish is at work; this one stopped. Wait until it ends`, {
    cause,
  });
}
