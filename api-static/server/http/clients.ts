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
  /** True if clients on this machine, such as benchmarks, have no limit. */
  readonly isLoopbackExempt?: boolean;
  /** Proxies whose X-Forwarded-For, -Host and -Proto are trusted: addresses, subnets, "loopback", "linklocal" or "uniquelocal". */
  readonly trustedProxies: readonly string[];
};

export class Clients {
  readonly #interval: number;
  readonly #isLoopbackExempt: boolean;
  readonly #isTrusted: (address: string, hops: number) => boolean;
  readonly #now: () => number;
  /** For each client, when all its searches so far would be due at an even rate. */
  readonly #due = new LRUCache<string, number>({ max: maxRemembered });

  /**
   * @param now milliseconds of a monotonic clock
   * @throws TypeError if a trusted proxy is not an address
   */
  constructor(
    { searchesPerMinute, isLoopbackExempt = false, trustedProxies }: ClientSettings,
    now: () => number,
  ) {
    this.#isLoopbackExempt = isLoopbackExempt;
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

  /** Drops what a request claims about the host and the scheme that its client asked, unless a trusted proxy sent it. */
  dropClaims({ headers, socket }: ServiceRequest): void {
    if (socket === undefined || this.#isTrusted(socket.remoteAddress ?? "", 0)) return;
    delete headers["x-forwarded-host"];
    delete headers["x-forwarded-proto"];
  }

  /** The network of a request's client. */
  networkOf(request: ServiceRequest): string {
    return networkOf(parseAddress(this.addressOf(request)));
  }

  /**
   * Counts a search of a client (generic cell rate algorithm: a minute's searches at once, then an even rate).
   * @returns the client's network
   * @throws Refusal `rate_limited` if the client exceeded its limit
   */
  admitSearch(request: ServiceRequest): string {
    const address = parseAddress(this.addressOf(request));
    const client = networkOf(address);
    if (this.#interval === 0 || (this.#isLoopbackExempt && address?.range() === "loopback")) return client;
    const now = this.#now();
    const due = Math.max(now, this.#due.get(client) ?? 0) + this.#interval;
    const excess = due - now - minute;
    if (excess <= 0) {
      this.#due.set(client, due);
      return client;
    }
    throw new Refusal({
      code: "rate_limited",
      message: `a client may run at most ${Math.round(minute / this.#interval)} searches per minute`,
      retryAfter: Math.ceil(excess / 1000),
    });
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function parseAddress(text: string | undefined): Address | undefined {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}

/** The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address; "" without an address. */
function networkOf(address: Address | undefined): string {
  if (address instanceof ipaddr.IPv6) return address.parts.slice(0, 4).join(":");
  return address?.toString() ?? "";
}
