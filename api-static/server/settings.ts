// Owns the settings of the server: read from the environment, where `make` puts them, and checked once.

export type ServerSettings = { readonly data: string; readonly host: string; readonly port: number };

/** @throws Error that names the setting, its rule and its value */
export function readServerSettings(
  environment: Readonly<Record<string, string | undefined>>,
): ServerSettings {
  const port = environment.PORT ?? "8080";
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new Error(`PORT must be an integer from 0 to 65535, got "${port}"`);
  return { data: environment.DATA ?? "data", host: environment.HOST ?? "127.0.0.1", port: Number(port) };
}
