// Owns the reading of settings from the environment: what is not set has a default, what is set keeps its rule.

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting at fault; the message names it, its rule and its value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/**
 * A setting's text, or the default where it is not set.
 * @throws SettingError where it is set to nothing: a variable that was meant to hold something is then missing elsewhere
 */
export function readText(environment: Environment, name: string, fallback: string): string {
  const value = environment[name] ?? fallback;
  if (value.trim() === "" && fallback !== "")
    throw new SettingError(`${name} is set to nothing, got "${value}"`);
  return value;
}

/** A setting that is an integer of these bounds. @throws SettingError */
export function readInteger(
  environment: Environment,
  name: string,
  fallback: number,
  least: number,
  most: number,
): number {
  const text = environment[name] ?? String(fallback);
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new SettingError(`${name} must be an integer from ${least} to ${most}, got "${text}"`);
}

/** A setting that is one of these values. @throws SettingError */
export function readOneOf<Value extends string>(
  environment: Environment,
  name: string,
  values: readonly Value[],
  otherwise: Value,
): Value {
  const given = environment[name] ?? otherwise;
  const value = values.find((one) => one === given);
  if (value === undefined)
    throw new SettingError(`${name} must be one of ${values.join(", ")}, got "${given}"`);
  return value;
}
