// Explains failures of a bucket that a person can fix: its name, the credentials, the network.
import { systemCode } from "../../../api-static/release/systemErrors.ts";
import { InputError } from "../failure.ts";
import { isPassing, statusOf } from "./retries.ts";

/** By an error's name: what is wrong. */
const explanations: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket. Create it, or correct the address",
  AccessDenied: "access is denied. Let these credentials list, read, write and delete objects there",
  InvalidAccessKeyId: "the store does not know the access key. Set AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "the secret key is wrong. Set AWS_SECRET_ACCESS_KEY",
  ExpiredToken: "the credentials have expired. Renew them",
  CredentialsProviderError:
    "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a profile or a role",
  PermanentRedirect: "the bucket is in another region. Set AWS_REGION",
  AuthorizationHeaderMalformed: "the region is wrong. Set AWS_REGION",
};

/** Statuses with a meaning for callers: there is no such object, or it changed. */
const answers: ReadonlySet<number | undefined> = new Set([404, 409, 412]);

/**
 * The error to report when a request to a bucket failed: an InputError if a person can fix it, otherwise the error itself.
 * @param address of the object
 */
export function explainFailure(error: unknown, address: string): unknown {
  if (!(error instanceof Error) || "exitCode" in error) return error;
  const status = statusOf(error);
  const explain = (what: string) =>
    new InputError(`${address}: ${what}. (${describe(error, status)})`, { cause: error });
  const known = Object.hasOwn(explanations, error.name) ? explanations[error.name] : undefined;
  if (known !== undefined) return explain(known);
  if (/region is missing/i.test(error.message)) return explain("there is no region. Set AWS_REGION");
  if (status === 403) return explain(explanations.AccessDenied ?? "");
  const code = systemCode(error);
  if (code === "ENOTFOUND") return explain("the store's host was not found. Check AWS_ENDPOINT_URL_S3");
  if (isPassing(error))
    return explain("the store did not answer, in several attempts. Run the command again later");
  if (status === undefined || answers.has(status)) return error;
  if (status >= 300 && status < 400) return explain(explanations.PermanentRedirect ?? "");
  return explain(
    "the store refused the request. Check AWS_ENDPOINT_URL_S3, AWS_REGION and this machine's clock",
  );
}

/** What a response said: its status, and the store's words if it had any. Many responses, such as those to HEAD, have no body. */
function describe({ name, message }: Error, status: number | undefined): string {
  const words = [name, message].filter((word) => !/^(Error|Unknown|UnknownError|\d+)$/.test(word));
  return status === undefined ? message : [`status ${status}`, ...new Set(words)].join(", ");
}
