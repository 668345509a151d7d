// Computes the statistics of measured times.

/** The middle value, or the mean of the two middle ones; NaN if there is no value. */
export function median(values: readonly number[]): number {
  const sorted = sort(values);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * The smallest measured value that at least `share` of the values do not exceed (nearest rank).
 * @param share above 0, at most 1, e.g., 0.99
 */
export function percentile(values: readonly number[], share: number): number {
  return sort(values)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** The n-th root of the product of n positive values: a factor of two counts the same at every size. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

function sort(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
