// Reads and writes the small object that says which release a bucket holds, and lets only one publisher write.

import { formatAddress } from "../base/bucket/address.ts";
import { type Bucket, ChangedObject } from "../base/bucket/bucket.ts";
import { InputError, LockedError } from "../base/failure.ts";
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

/** Attempts to mark a bucket, whose holder may write its state at the same moment. */
const maxMarks = 10;

/**
 * The state of a bucket that this process alone may change, until another publisher takes it over. While a bucket is held, every
 * attempt to change one of its objects first checks that it still is.
 *
 * A publisher that stalled for longer than a lease may send requests before it notices that another one took over. When they have
 * ended, it marks the bucket: it adds its release to `started`, so that objects count as known only if it did not change them.
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
  /** True if another publisher marked the bucket since the state was read for a plan. */
  #isMarked = false;

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
    if (parse().publisher !== null) {
      const seconds = Math.ceil(context.lease / 1000);
      context.note(
        `another publish was started and did not end; waiting ${seconds} s to see whether it runs`,
      );
      const before = stored?.etag;
      await context.sleep(context.lease);
      stored = await bucket.get(stateName);
      if (stored?.etag !== before && parse().publisher !== null)
        throw new LockedError(
          `${formatAddress(bucket.address)}: another publish is at work; this one stopped. Wait until it ends`,
        );
    }
    const held = new HeldState(bucket, context, parse(), stored?.etag);
    await held.#save({});
    held.#timer = setInterval(() => void held.#renew().catch(() => {}), context.lease / 3).unref();
    bucket.beforeChange = () => held.#check();
    return held;
  }

  /** The state to plan changes from. Marks that arrive later are kept, and noticed by `complete`. */
  readForPlan(): PublishedState {
    this.#isMarked = false;
    return this.#state;
  }

  /** The number of the last write: it differs between two passes of a publish. */
  get beat(): number {
    return this.#state.beat;
  }

  /** Writes the plan, before anything changes. */
  begin(plan: Pick<PublishedState, "release" | "started" | "done">): Promise<void> {
    return this.#save(this.#isMarked ? addStarted(plan, this.#state.started) : plan);
  }

  /**
   * Records how many changes are done. It is written with the next sign of life, so a run that is killed repeats few of them. After
   * a mark the next run repeats all: its changes are those from other releases, so it cannot count on these.
   */
  countDone(done: number): void {
    if (!this.#isMarked) this.#state = { ...this.#state, done };
  }

  /** Names the release that the bucket now holds. Returns false if the bucket was marked: then it must be compared again. */
  async complete(release: string): Promise<boolean> {
    const started = this.#isMarked ? this.#state.started.filter((id) => id !== release) : [];
    await this.#save({ release, started, done: 0 });
    return this.#state.started.length === 0;
  }

  /** Prevents all further changes, because a part of the work failed. */
  stop(error: unknown): void {
    this.#failure ??= error;
  }

  /** Lets go of the bucket. */
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    await this.#write(null);
  }

  /**
   * Lets go of the bucket after a failure, if that is possible, so that the next run need not wait. Call it when all requests
   * have ended.
   * @param release whose files were being uploaded
   */
  async abandon(release: string): Promise<void> {
    try {
      await this.release();
    } catch {
      await this.#mark(release).catch((error: Error) =>
        this.#context.note(`warning: the bucket may have files of release ${release}: ${error.message}`),
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
    this.#state = { ...this.#state, ...changes };
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(publisher: string | null = this.#context.publisher): Promise<void> {
    const start = this.#context.now();
    this.#state = { ...this.#state, publisher, beat: this.#state.beat + 1 };
    try {
      this.#etag = await this.#bucket.putIfSame(stateName, format(this.#state), privateHeaders, this.#etag);
      this.#savedAt = start;
    } catch (error) {
      const isChanged = error instanceof ChangedObject;
      if (isChanged && (await this.#takeMark().catch(() => false))) return this.#write(publisher);
      const hasStalled = this.#context.now() - this.#savedAt > this.#context.lease;
      this.#failure ??= isChanged ? lostError(this.#bucket, hasStalled, error) : error;
      throw this.#failure;
    }
  }

  /** True if the state was changed only by a mark. The mark is then added to this publisher's state. */
  async #takeMark(): Promise<boolean> {
    const stored = await this.#bucket.get(stateName);
    if (stored === undefined) return false;
    const { publisher, started } = parseState(this.#bucket, stored.body.toString());
    if (publisher !== this.#context.publisher) return false;
    this.#isMarked = true;
    this.#etag = stored.etag;
    this.#state = addStarted(this.#state, started);
    return true;
  }

  /** Marks a bucket that another publisher took over, unless that one publishes the same release or nobody took over. */
  async #mark(release: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await this.#bucket.get(stateName);
      if (stored === undefined) return;
      const state = parseState(this.#bucket, stored.body.toString());
      if (state.publisher === this.#context.publisher) return;
      if ((state.started.at(-1) ?? state.release) === release) return;
      const started = [release, ...state.started.filter((id) => id !== release)];
      const marked = format({ ...state, started, done: 0, beat: state.beat + 1 });
      try {
        await this.#bucket.putIfSame(stateName, marked, privateHeaders, stored.etag);
        return;
      } catch (error) {
        if (!(error instanceof ChangedObject) || attempt === maxMarks) throw error;
      }
    }
  }
}

/** A state with more releases in `started`, before its own. Its changes are then others, so none of them counts as done. */
function addStarted<State extends Pick<PublishedState, "started" | "done">>(
  state: State,
  more: readonly string[],
): State {
  const { started } = state;
  return { ...state, started: [...more.filter((id) => !started.includes(id)), ...started], done: 0 };
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
