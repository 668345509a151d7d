// Tests how settings are read: defaults, bounds, and the message of each rule.
import { describe, expect, it } from "vitest";
import {
  readInteger,
  readOneOf,
  readText,
  readUrl,
  readUrls,
  SettingError,
} from "../../../api-static/contract/environment.ts";

describe("readText", () => {
  it("returns the text as given, or the default if it is not set", () => {
    expect(readText({ DATA: " a b" }, "DATA", "data")).toBe(" a b");
    expect(readText({ OTHER: "x" }, "DATA", "data")).toBe("data");
  });

  it.each(["", " ", "\t\n"])("rejects %j unless the default is empty", (value) => {
    expect(() => readText({ DATA: value }, "DATA", "data")).toThrow(
      new SettingError(`DATA must not be empty, got "${value}"`),
    );
    expect(readText({ ACCEPT: value }, "ACCEPT", "")).toBe(value);
  });
});

describe("readUrl", () => {
  const read = (text: string | undefined, otherwise?: string) =>
    readUrl({ FROM: text }, "FROM", "a URL such as https://example.org", otherwise);

  it("returns the URL as written, or the default", () => {
    expect(read(" https://example.org/a?b ")).toBe("https://example.org/a?b");
    expect(read("", "")).toBe("");
    expect(read(undefined, "http://x")).toBe("http://x");
  });

  it.each(["", "example.org", "ftp://example.org", "http:example.org"])("rejects %j", (text) => {
    expect(() => read(text)).toThrow(`FROM must be a URL such as https://example.org, got "${text}"`);
  });

  it.each(["https://me:secret@example.org", "HTTP://secret@example.org", "ftp://me:secret@x", "me:secret@x"])(
    "does not repeat the password in %s",
    (text) => {
      expect(() => read(text)).toThrow(/^FROM must (?!.*secret)/);
      if (!/^http/i.test(text))
        expect(() => readUrls({ FROM: text }, "FROM")).toThrow(/^FROM must (?!.*secret)/);
    },
  );
});

describe("readInteger", () => {
  const read = (text: string | undefined) => readInteger({ KEEP: text }, "KEEP", 5, 3, 999_999_999_999_999);

  it.each([
    [undefined, 5],
    ["3", 3],
    ["007", 7],
    ["999999999999999", 999_999_999_999_999],
  ])("reads %j as %d", (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each(["2", "-3", "", " 5", "5 ", "5x", "x5", "5.0", "1e3", "1000000000000000", "0000000000000005"])(
    "rejects %j and says the bounds",
    (text) => {
      expect(() => read(text)).toThrow(
        new SettingError(`KEEP must be an integer from 3 to 999999999999999, got "${text}"`),
      );
    },
  );

  it("rejects one more than the maximum", () => {
    expect(() => readInteger({ KEEP: "8" }, "KEEP", 5, 3, 7)).toThrow(SettingError);
    expect(readInteger({ KEEP: "7" }, "KEEP", 5, 3, 7)).toBe(7);
  });
});

describe("readOneOf", () => {
  const read = (text: string | undefined) =>
    readOneOf({ LOG_LEVEL: text }, "LOG_LEVEL", ["info", "warn"], "info");

  it("returns the value, or the default if it is not set", () => {
    expect([read(undefined), read("info"), read("warn")]).toStrictEqual(["info", "info", "warn"]);
  });

  it.each(["", "Info", "warn "])("rejects %j and lists the values", (text) => {
    expect(() => read(text)).toThrow(new SettingError(`LOG_LEVEL must be one of info, warn, got "${text}"`));
  });
});

describe("SettingError", () => {
  it("is named as in stack traces and logs", () => {
    expect(String(new SettingError("KEEP is wrong"))).toBe("SettingError: KEEP is wrong");
  });
});
