// Owns who a client is, and how many searches it may ask in a minute.
import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddress from "proxy-addr";
import { Refusal } from "../../contract/errors.ts";

/** Clients remembered, some 100 bytes each; the one not seen for the longest time is forgotten first. */
const rememberedMax = 10_000;

const minute = 60_000;

export type ClientSettings = {
  /** Searches of one client in a minute; 0 is without bound. */
  readonly searchesPerMinute: number;
  /** Addresses or subnets of proxies whose X-Forwarded-For is believed, or "loopback", "linklocal", "uniquelocal". */
  readonly trustedProxies: readonly string[];
};

export class Clients {
  readonly #interval: number;
  readonly #isTrusted: (address: string, hops: number) => boolean;
  readonly #now: () => number;
  /** Of each client, the moment at which all the searches it has asked would have been due at an even rate. */
  readonly #due = new LRUCache<string, number>({ max: rememberedMax });

  /**
   * @param now milliseconds of a clock that never goes back
   * @throws TypeError when a trusted proxy is no address
   */
  constructor({ searchesPerMinute, trustedProxies }: ClientSettings, now: () => number) {
    this.#interval = searchesPerMinute === 0 ? 0 : minute / searchesPerMinute;
    this.#isTrusted = proxyAddress.compile([...trustedProxies]);
    this.#now = now;
  }

  /** The address a request came from: the socket's, or what trusted proxies say of it; undefined without a socket. */
  addressOf(incoming: IncomingMessage | undefined): string | undefined {
    if (incoming === undefined) return undefined;
    const told: string | undefined = proxyAddress(incoming, this.#isTrusted);
    return told !== undefined && ipaddr.isValid(told) ? told : incoming.socket.remoteAddress;
  }

  /**
   * Counts a search of a client (generic cell rate algorithm: a whole minute's searches at once, then at an even rate).
   * @throws Refusal `rate_limited` when it has asked more than it may
   */
  admitSearch(incoming: IncomingMessage | undefined): void {
    if (this.#interval === 0) return;
    const client = networkOf(this.addressOf(incoming));
    const now = this.#now();
    const due = Math.max(now, this.#due.get(client) ?? 0) + this.#interval;
    const excess = due - now - minute;
    if (excess <= 0) return void this.#due.set(client, due);
    throw new Refusal({
      code: "rate_limited",
      message: `a client may run at most ${Math.round(minute / this.#interval)} searches per minute`,
      retryAfter: Math.ceil(excess / 1000),
    });
  }
}

/** What counts as one client: an IPv4 address, or the 64 bits of an IPv6 address that name a network. */
function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return "";
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
