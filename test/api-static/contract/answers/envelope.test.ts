// Tests the envelope: its exact bytes, its keys, and its record lines.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  envelopeParts,
  formatEnvelope,
  formatList,
  lineEnd,
} from "../../../../api-static/contract/answers/envelope.ts";
import { text } from "../arbitraries.ts";

const records = ['{"id":1,"purpose":"a"}', '{"id":2,"purpose":null}'];
const lines = (texts: readonly string[]) => Buffer.from(texts.map((text) => text + lineEnd).join(""));

describe("formatEnvelope", () => {
  it("writes a page without records on one line", () => {
    const body = formatEnvelope({ total: 7, limit: 100, offset: 200 }, lines([]));
    expect(body.toString()).toBe('{"success":true,"data":[],"total":7,"limit":100,"offset":200}\n');
  });

  it("writes one record per line, with commas only between records", () => {
    const body = formatEnvelope({ total: 2, limit: 100, offset: 0 }, lines(records));
    expect(body.toString()).toBe(
      '{"success":true,"data":[\n{"id":1,"purpose":"a"},\n{"id":2,"purpose":null}\n],"total":2,"limit":100,"offset":0}\n',
    );
  });

  it("writes a single record without a comma", () => {
    const body = formatEnvelope({ total: 1, limit: 1, offset: 0 }, lines(records.slice(0, 1)));
    expect(body.toString()).toBe(
      '{"success":true,"data":[\n{"id":1,"purpose":"a"}\n],"total":1,"limit":1,"offset":0}\n',
    );
  });

  it.each([
    ["an empty page", []],
    ["a page with records", records],
  ])("has its keys in their order in %s", (_what, texts) => {
    const body = formatEnvelope({ total: 2, limit: 100, offset: 0 }, lines(texts));
    expect(Object.keys(JSON.parse(body.toString()))).toStrictEqual([
      "success",
      "data",
      "total",
      "limit",
      "offset",
    ]);
  });

  it("writes numbers of any size in full", () => {
    const page = { total: 4_294_967_295, limit: 1000, offset: 1_000_000_000 };
    const written = '"total":4294967295,"limit":1000,"offset":1000000000}\n';
    expect(formatEnvelope(page, lines([])).toString()).toBe(`{"success":true,"data":[],${written}`);
    expect(formatEnvelope(page, lines(records)).toString().endsWith(`\n],${written}`)).toBe(true);
  });

  it("does not change the lines", () => {
    const given = lines(records);
    formatEnvelope({ total: 2, limit: 100, offset: 0 }, given);
    expect(given).toStrictEqual(lines(records));
  });

  it("parses to the records and the page, whatever text the records have", () => {
    const number = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(text), number, number, number, (purposes, total, limit, offset) => {
        const data = purposes.map((purpose, id) => ({ id, purpose }));
        const body = formatEnvelope(
          { total, limit, offset },
          lines(data.map((record) => JSON.stringify(record))),
        );
        expect(JSON.parse(body.toString())).toStrictEqual({ success: true, data, total, limit, offset });
        expect(body.toString().split("\n")).toHaveLength(data.length === 0 ? 2 : data.length + 3);
      }),
    );
  });
});

describe("envelopeParts", () => {
  it("splits a body into head, lines without the last line end, and tail", () => {
    const [head, middle, tail] = envelopeParts({ total: 2, limit: 100, offset: 0 }, lines(records));
    expect(head.toString()).toBe('{"success":true,"data":[\n');
    expect(middle.toString()).toBe(records.join(lineEnd));
    expect(tail.toString()).toBe('\n],"total":2,"limit":100,"offset":0}\n');
  });
});

describe("formatList", () => {
  it("writes a list without pages: one line each, with commas only between lines", () => {
    expect(formatList(lines(records)).toString()).toBe(
      '{"success":true,"data":[\n{"id":1,"purpose":"a"},\n{"id":2,"purpose":null}\n]}\n',
    );
    expect(formatList(lines([])).toString()).toBe('{"success":true,"data":[]}\n');
  });
});
