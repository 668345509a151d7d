// Formats numbers, money, dates and EINs for people, in the language of the pages.

/** The minus sign of numbers (U+2212); `Intl` writes a hyphen. */
const minus = "−";

/** The pages are English whatever the reader's language, so their numbers and dates are too. */
const locale = "en-US";

const formatOf = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
const moneyOf = (options: Intl.NumberFormatOptions) =>
  formatOf({ style: "currency", currency: "USD", ...options });
const timeOf = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options });

const whole = formatOf({ maximumFractionDigits: 0 });
const dollars = moneyOf({ maximumFractionDigits: 0 });
const cents = moneyOf({});
const long = formatOf({ notation: "compact", compactDisplay: "long", maximumFractionDigits: 1 });
const short = moneyOf({ notation: "compact", minimumFractionDigits: 0, maximumFractionDigits: 1 });
const shortWhole = moneyOf({ notation: "compact", maximumFractionDigits: 0 });
const percent = formatOf({ style: "percent", maximumFractionDigits: 0 });
const percentTenths = formatOf({ style: "percent", minimumFractionDigits: 1 });
const percentHundredths = formatOf({ style: "percent", minimumFractionDigits: 2 });
const day = timeOf({ dateStyle: "medium" });
const minute = timeOf({ dateStyle: "medium", timeStyle: "short" });
const minuteOfYear = timeOf({ month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
const clock = timeOf({ timeStyle: "short" });
const localClock = timeOf({ timeStyle: "short", timeZone: undefined });

const byteUnits = ["byte", "kilobyte", "megabyte", "gigabyte"];

function withMinus(text: string): string {
  return text.replace("-", minus);
}

/** e.g., "1,723". */
export function formatCount(count: number): string {
  return withMinus(whole.format(count));
}

/** A size in bytes: "12.3 MB". */
export function formatBytes(bytes: number): string {
  const exponent = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = byteUnits[exponent] as string;
  return formatOf({ style: "unit", unit, maximumFractionDigits: 1 }).format(bytes / 1000 ** exponent);
}

/** e.g., "1 grant", "1,723 grants". @param plural "grants" unless another noun is counted */
export function formatCounted(count: number, singular = "grant", plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** An amount in a table: "$2,576,721"; cents only if they are not zero. */
export function formatAmount(amount: number): string {
  return withMinus((Number.isInteger(amount) ? dollars : cents).format(amount));
}

/** A sum with its cents, exact however large: "$1,095,568,810.00". @param sum decimal text */
export function formatSum(sum: string): string {
  return withMinus(cents.format(sum as `${number}`));
}

/** An amount in a sentence: "$31.1 million"; whole dollars below a million. */
export function formatAmountLong(amount: number): string {
  return withMinus(Math.abs(amount) < 999_950 ? dollars.format(amount) : formatLong(amount));
}

/** "$31.1 million". `Intl` has no long form of money. */
function formatLong(amount: number): string {
  return `${amount < 0 ? "-" : ""}$${long.format(Math.abs(amount))}`;
}

/** An amount in a chart: "$6.1M", "$69K". */
export function formatAmountShort(amount: number): string {
  const size = Math.abs(amount);
  return withMinus((size >= 999_500 ? short : shortWhole).format(amount));
}

/** A share as a percentage: "45%", "<1%" if it is below half a percent but not zero. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.005 ? `<${percent.format(0.01)}` : percent.format(share);
}

/** A share with this many decimals: "0.57%"; e.g., "<0.01%" if it would round to zero but is not zero. */
export function formatFineShare(share: number, decimals: 1 | 2): string {
  const least = 10 ** -(decimals + 2);
  const format = decimals === 1 ? percentTenths : percentHundredths;
  if (share > 0 && share < least / 2) return `<${format.format(least)}`;
  return share === 0 ? percent.format(0) : format.format(share);
}

/** A day in UTC: "Nov 22, 2026". */
export function formatDay(time: string | Date): string {
  return day.format(new Date(time));
}

/** A moment in UTC: "Nov 22, 2026, 12:18 AM". Say "UTC" beside it. */
export function formatMinute(time: string | Date): string {
  return minute.format(new Date(time));
}

/** A moment of the last days, in UTC: "Nov 22, 12:18 AM". Say "UTC" beside it. */
export function formatMinuteOfYear(time: string | Date): string {
  return minuteOfYear.format(new Date(time));
}

/** The time of day in UTC: "4:00 AM". Say "UTC" beside it. */
export function formatClock(time: string | Date): string {
  return clock.format(new Date(time));
}

/** The reader's own time of day: "12:31 AM". */
export function formatLocalClock(time: Date): string {
  return localClock.format(time);
}

/** The years from the first to the last: "2010 to 2018", or "2018" if they are one. */
export function formatYears(first: number, last: number): string {
  return first === last ? String(first) : `${first} to ${last}`;
}

/** The bounds of a size band: "Under $1,000", "$1,000 to $9,999", "$1,000,000 and up". Bounds are dollars or null. */
export function formatBand(from: number | null, below: number | null): string {
  if (from === null || from <= 0) return `Under ${formatAmount(below ?? 0)}`;
  if (below === null) return `${formatAmount(from)} and up`;
  return `${formatAmount(from)} to ${formatAmount(below - 1)}`;
}

/** e.g., "Of the newest 1,000 of 41,204 grants. "; empty if these are all. */
export function newestOf(known: number, total: number): string {
  return known >= total ? "" : `Of the newest ${formatCount(known)} of ${formatCount(total)} grants. `;
}
