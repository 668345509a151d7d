// Opens the client of a store: S3, or another store that speaks its protocol.
import { S3Client } from "@aws-sdk/client-s3";
import type { StoreSettings } from "./address.ts";

/** Requests at once, each on a connection that is kept alive. */
export const requestsAtOnce = 48;

/** Milliseconds without a connection, and without a byte, after which a request has failed. */
const timeouts = { connection: 10_000, silence: 60_000 };

export function openClient({ endpoint, region, credentials }: StoreSettings): S3Client {
  const client = new S3Client({
    // Stores other than AWS have no DNS names for their buckets.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 1, // `retry` repeats requests, bodies included
    cacheMiddleware: true, // otherwise the steps of a request are put in order again for each one
    requestChecksumCalculation: "WHEN_REQUIRED", // many stores do not know the newer checksums
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: timeouts.connection,
      socketTimeout: timeouts.silence,
      httpAgent: { keepAlive: true, maxSockets: requestsAtOnce },
      httpsAgent: { keepAlive: true, maxSockets: requestsAtOnce },
    },
  });
  client.middlewareStack.remove("loggerMiddleware"); // it prepares a log record of each request, and nothing keeps it
  return client;
}
