// Shows people how far each step of a sync is, its rate and the time left.

/** Where progress is written: a terminal redraws one line, anything else gets a plain line when a step ends. */
export type Output = {
  readonly isTTY?: boolean;
  /** Current width of the terminal in characters. */
  readonly columns?: number;
  write(text: string): unknown;
};

/** Assumed width if the terminal does not report one. */
const defaultColumns = 80;

/** Fraction of a step after which its rate predicts the time left. */
const predictiveFraction = 0.02;

/** Milliseconds between two lines about a running step, on a terminal and elsewhere. */
const intervals = { terminal: 100, plain: 10_000 };

const nameWidth = 14;

/** A step that has ended. */
export type Step = {
  readonly name: string;
  readonly unit: string;
  readonly total: number;
  readonly seconds: number;
};

/** Receives how many units of a step are done. */
export type OnProgress = (done: number) => void;

type RunningStep = Omit<Step, "seconds"> & { readonly start: number; done: number };

export class Progress {
  /** Steps that have ended, in the order in which they ended. */
  readonly steps: Step[] = [];
  /** Peak memory of the process in bytes when a step ended, by the step's name. */
  readonly peaks = new Map<string, number>();
  readonly #output: Output;
  readonly #now: () => number;
  readonly #running = new Set<RunningStep>();
  #timer: NodeJS.Timeout | undefined;

  /** @param now a clock in milliseconds */
  constructor(output: Output, now: () => number) {
    this.#output = output;
    this.#now = now;
  }

  /** Runs one step of `total` units. Several may run in parallel. */
  async run<Result>(
    name: string,
    total: number,
    unit: string,
    work: (onProgress: OnProgress) => Promise<Result>,
  ): Promise<Result> {
    const step = { name, unit, total, done: 0, start: this.#now() };
    this.#running.add(step);
    this.#timer ??= setInterval(
      () => this.#show(),
      this.#output.isTTY ? intervals.terminal : intervals.plain,
    ).unref();
    try {
      const result = await work((done) => {
        step.done = done;
      });
      this.#end(step, true);
      return result;
    } catch (error) {
      this.#end(step, false);
      throw error;
    }
  }

  /** Writes a permanent line. */
  readonly note = (line: string): void => {
    this.#clear();
    this.#output.write(`${line}\n`);
  };

  #end(step: RunningStep, isDone: boolean): void {
    this.#running.delete(step);
    if (this.#running.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (!isDone) {
      this.#clear();
      return;
    }
    const seconds = (this.#now() - step.start) / 1000;
    this.steps.push({ name: step.name, unit: step.unit, total: step.total, seconds });
    this.peaks.set(step.name, process.resourceUsage().maxRSS * 1024);
    this.note(
      `${step.name.padEnd(nameWidth)} ${formatCount(step.total)} ${step.unit} in ${formatSeconds(seconds)}`,
    );
  }

  #show(): void {
    const lines = [...this.#running].map((step) => formatRunning(step, (this.#now() - step.start) / 1000));
    const { isTTY, columns = defaultColumns } = this.#output; // only the last row of a line that wraps would be cleared
    if (isTTY) this.#output.write(`\r\u001B[K${lines.join(" | ").slice(0, columns - 1)}`);
    else for (const line of lines) this.#output.write(`${line}\n`);
  }

  #clear(): void {
    if (this.#output.isTTY) this.#output.write("\r\u001B[K");
  }
}

function formatRunning({ name, done, total, unit }: RunningStep, seconds: number): string {
  const some = done > 0 ? `${formatCount(done)} of ` : ""; // some steps are one statement, which does not tell
  const head = `${name.padEnd(nameWidth)} ${some}${formatCount(total)} ${unit}`;
  const isPredictable = done >= total * predictiveFraction && done < total && seconds > 0;
  if (!isPredictable) return `${head}, ${formatSeconds(seconds)} so far`;
  const rate = done / seconds;
  return `${head}, ${formatCount(Math.round(rate))}/s, ${formatSeconds((total - done) / rate)} left`;
}

/** e.g., 1234567 → "1,234,567". */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** e.g., 4.21 → "4.2 s", 192 → "3:12 min". */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}
