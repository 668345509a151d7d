// Tells a webhook of a release that became current, signed in the way of https://www.standardwebhooks.com.
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangesEntry } from "../../api-static/contract/answers/changes.ts";
import { type Environment, readText, readUrl, SettingError } from "../../api-static/contract/environment.ts";
import { readChain } from "../../api-static/release/chain.ts";

/** Where to post, and the key of the signatures. */
export type NotifySettings = { readonly url: string; readonly key: Buffer };

export type NotifyContext = {
  readonly clock: () => Date;
  readonly note: (line: string) => void;
  readonly pause?: (milliseconds: number) => Promise<unknown>;
};

/** Milliseconds before each attempt. */
const pauses = [0, 1_000, 5_000, 15_000];

/** Milliseconds that an attempt may take. */
const attemptTime = 10_000;

/** Bytes that a key may have. */
const keyBytes = { least: 24, most: 64 };

/** Undefined if NOTIFY is not set. @throws SettingError that names a wrong setting and its rule */
export function readNotifySettings(environment: Environment): NotifySettings | undefined {
  const url = readUrl(environment, "NOTIFY", "a URL such as https://example.org/hook", "");
  const secret = readText(environment, "NOTIFY_SECRET", "");
  if (url === "") return undefined;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  if (!secret.startsWith("whsec_") || key.length < keyBytes.least || key.length > keyBytes.most)
    throw new SettingError(
      `NOTIFY_SECRET must be whsec_ and ${keyBytes.least} to ${keyBytes.most} bytes in base64`,
    );
  return { url, key };
}

/** Posts the entry of the release that became current last. Never throws; notes a warning if every attempt failed. */
export async function notify(
  settings: NotifySettings | undefined,
  data: string,
  context: NotifyContext,
): Promise<void> {
  const entry = settings && (await readChain(data))?.entries.at(-1);
  if (settings === undefined || entry === undefined) return;
  let problem = "";
  for (const milliseconds of pauses) {
    await (context.pause ?? sleep)(milliseconds);
    problem = await post(settings, entry, context.clock());
    if (problem === "") return;
  }
  const { host } = new URL(settings.url); // the rest may be secret
  context.note(`warning: NOTIFY at ${host} did not take release ${entry.to}: ${problem}`);
}

/** @returns the problem; "" if the entry was taken */
async function post({ url, key }: NotifySettings, entry: ChangesEntry, now: Date): Promise<string> {
  const body = JSON.stringify(entry);
  const id = `${entry.from ?? "first"}_${entry.to}_${Date.parse(entry.at)}`; // the same for every attempt
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  try {
    const signal = AbortSignal.timeout(attemptTime);
    const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
    await response.body?.cancel();
    return response.ok ? "" : `it answered ${response.status}`;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}
