// Reads settings from the environment: defaults for those not set, an error for those not valid.

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting is not valid; the message has its name, rule and value. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/**
 * A setting's text, or the default if it is not set.
 * @throws SettingError if it is empty: probably a variable that it was built from is missing
 */
export function readText(environment: Environment, name: string, fallback: string): string {
  const value = environment[name] ?? fallback;
  if (value.trim() === "" && fallback !== "")
    throw new SettingError(`${name} must not be empty, got "${value}"`);
  return value;
}

/** @throws SettingError if the setting is not an integer from `min` to `max` */
export function readInteger(
  environment: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const text = environment[name] ?? String(fallback);
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new SettingError(`${name} must be an integer from ${min} to ${max}, got "${text}"`);
}

/** A value in quotes, for messages; text with an `@` may have a password, so it is not repeated. */
export function quoteAddress(text: string): string {
  return text.includes("@")
    ? "a text with an @, which is not shown because it may have a password"
    : `"${text}"`;
}

/**
 * The URL of a setting as it was written.
 * @param rule what it must be, with an example
 * @param otherwise if the setting is not set; without it, the setting is required. If it is empty, the setting may be empty
 * @throws SettingError that does not repeat a password, if it is no URL of HTTP, or has a user or a password
 */
export function readUrl(environment: Environment, name: string, rule: string, otherwise?: string): string {
  const text = (environment[name] ?? otherwise ?? "").trim();
  if (text === "" && otherwise === "") return "";
  const { username, password } = parseUrl(text, `${name} must be ${rule}`);
  if (username === "" && password === "") return text;
  throw new SettingError(`${name} must have no user and no password. Remove what is before the @`);
}

/** The URLs of a setting, separated by commas. @throws SettingError if there is none, or one is no URL of HTTP */
export function readUrls(environment: Environment, name: string): URL[] {
  const rule = `${name} must be URLs such as http://127.0.0.1:8123, separated by commas`;
  return readText(environment, name, "")
    .split(",")
    .map((text) => parseUrl(text.trim(), rule));
}

function parseUrl(text: string, rule: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:\/\//i.test(text)) return url;
  throw new SettingError(`${rule}, got ${quoteAddress(text)}`);
}

/** @throws SettingError if the setting is not one of these values */
export function readOneOf<Value extends string>(
  environment: Environment,
  name: string,
  values: readonly Value[],
  otherwise: Value,
): Value {
  const given = environment[name] ?? otherwise;
  const value = values.find((one) => one === given);
  if (value !== undefined) return value;
  throw new SettingError(`${name} must be one of ${values.join(", ")}, got "${given}"`);
}
