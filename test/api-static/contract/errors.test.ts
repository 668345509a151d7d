// Tests errors: the shape and key order of the body, and the status of every code.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatError, Refusal, statuses } from "../../../api-static/contract/errors.ts";
import { text } from "./arbitraries.ts";

describe("statuses", () => {
  it("gives every code its status, as the contract requires", () => {
    expect(statuses).toStrictEqual({
      bad_request: 400,
      recipient_not_found: 404,
      organization_not_found: 404,
      grant_not_found: 404,
      release_not_found: 404,
      request_timeout: 408,
      release_too_old: 410,
      precondition_failed: 412,
      range_not_satisfiable: 416,
      content_too_large: 413,
      unsupported_media_type: 415,
      uri_too_long: 414,
      headers_too_large: 431,
      invalid_parameter: 400,
      funder_not_found: 404,
      not_found: 404,
      not_served: 404,
      method_not_allowed: 405,
      rate_limited: 429,
      overloaded: 503,
      timeout: 503,
      not_ready: 503,
      internal: 500,
    });
  });
});

describe("formatError", () => {
  it("omits details if all parameters are valid", () => {
    const body = formatError({ code: "not_found", message: "There is nothing here." });
    expect(body).toBe('{"success":false,"error":"There is nothing here.","code":"not_found"}\n');
  });

  it("writes each problem as a detail, in order", () => {
    const body = formatError({
      code: "invalid_parameter",
      message: "The request is not valid.",
      problems: [
        { parameter: "limit", code: "out_of_range", message: "too many" },
        { parameter: "offset", code: "blank", message: "empty" },
      ],
    });
    expect(body).toBe(
      '{"success":false,"error":"The request is not valid.","code":"invalid_parameter","details":[' +
        '{"parameter":"limit","code":"out_of_range","message":"too many"},' +
        '{"parameter":"offset","code":"blank","message":"empty"}]}\n',
    );
  });

  it("writes one line of JSON that parses to the error, whatever its text", () => {
    fc.assert(
      fc.property(text, text, (message, parameter) => {
        const problems = [{ parameter, code: "unknown" as const, message }];
        const body = formatError({ code: "invalid_parameter", message, problems });
        expect(body.indexOf("\n")).toBe(body.length - 1);
        expect(JSON.parse(body)).toStrictEqual({
          success: false,
          error: message,
          code: "invalid_parameter",
          details: problems,
        });
      }),
    );
  });

  it("escapes lone surrogates, so that the body is valid UTF-8", () => {
    const body = formatError({ code: "internal", message: "a\uD800b" });
    expect(body).toContain("a\\ud800b");
    expect(Buffer.from(body).toString()).toBe(body);
  });
});

describe("Refusal", () => {
  it("carries the error that the client receives, and is logged by its name and message", () => {
    const error = { code: "overloaded", message: "Too many searches.", retryAfter: 1 } as const;
    const refusal = new Refusal(error);
    expect(refusal.error).toBe(error);
    expect(String(refusal)).toBe("Refusal: Too many searches.");
  });
});
