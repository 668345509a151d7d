// Identifies clients by address and limits the searches of each per minute.
import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import proxyAddress from "proxy-addr";
import { Refusal } from "../../contract/errors.ts";
import type { ServiceRequest } from "./exchange.ts";

/** Clients remembered, about 100 bytes each. The least recently seen is forgotten first. */
const maxRemembered = 10_000;

const minute = 60_000;

export type ClientSettings = {
  /** Searches per minute and client; 0 is no limit. */
  readonly searchesPerMinute: number;
  /** Proxies whose X-Forwarded-For is trusted: addresses, subnets, "loopback", "linklocal" or "uniquelocal". */
  readonly trustedProxies: readonly string[];
};

export class Clients {
  readonly #interval: number;
  readonly #isTrusted: (address: string, hops: number) => boolean;
  readonly #now: () => number;
  /** For each client, when all its searches so far would be due at an even rate. */
  readonly #due = new LRUCache<string, number>({ max: maxRemembered });

  /**
   * @param now milliseconds of a monotonic clock
   * @throws TypeError if a trusted proxy is not an address
   */
  constructor({ searchesPerMinute, trustedProxies }: ClientSettings, now: () => number) {
    this.#interval = searchesPerMinute === 0 ? 0 : minute / searchesPerMinute;
    this.#isTrusted = proxyAddress.compile([...trustedProxies]);
    this.#now = now;
  }

  /** A request's address: the socket's, or the one that trusted proxies name; undefined without a socket. */
  addressOf(request: ServiceRequest): string | undefined {
    if (request.socket === undefined) return undefined;
    const address: string | undefined = proxyAddress(request as IncomingMessage, this.#isTrusted);
    return address !== undefined && ipaddr.isValid(address) ? address : request.socket.remoteAddress;
  }

  /**
   * Counts a search of a client (generic cell rate algorithm: a minute's searches at once, then an even rate).
   * @throws Refusal `rate_limited` if the client exceeded its limit
   */
  admitSearch(request: ServiceRequest): void {
    if (this.#interval === 0) return;
    const client = networkOf(this.addressOf(request));
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

/** What counts as one client: an IPv4 address, or the /64 network of an IPv6 address. */
function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return "";
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
