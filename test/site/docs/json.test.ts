// Tests the layout of JSON: the same as with `JSON.stringify`, with every digit kept.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJson, layOut } from "../../../site/src/docs/json.ts";

describe("formatJson", () => {
  it("lays out any JSON as JSON.stringify does", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(formatJson(json)).toBe(
          JSON.stringify(JSON.parse(json), null, 2).replaceAll(/\\u([\da-f]{4})/g, "\\u$1"),
        );
      }),
      { examples: [['{"a":[],"b":{},"c":"x\\"y: [","d":[1,{"e":null}]}']] },
    );
  });

  it("keeps decimals that a number would lose", () => {
    expect(formatJson('{"amount":635000.00}')).toBe('{\n  "amount": 635000.00\n}');
  });

  it("lays out text that is cut off as far as it goes", () => {
    expect(formatJson('{"a":1,"b":"cut')).toBe('{\n  "a": 1,\n  "b": ');
  });

  it("tells keys, texts and numbers apart", () => {
    const kinds = layOut('{"a":"b","c":-1.5,"d":true}').filter(({ kind }) => kind !== "plain");
    expect(kinds.map(({ kind, text }) => [kind, text])).toStrictEqual([
      ["name", '"a"'],
      ["text", '"b"'],
      ["name", '"c"'],
      ["number", "-1.5"],
      ["name", '"d"'],
      ["number", "true"],
    ]);
  });
});
