// Tests that the OpenAPI document breaks no client of the last version, and that the comparison finds breaking changes.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../../api-static/contract/version.ts";
import { openapi } from "../../../api-static/openapi/document.ts";
import { compact, findBreaks } from "./breaks.ts";

const path = join(import.meta.dirname, "last-version.json");
const last = JSON.parse(readFileSync(path, "utf8"));
const majorOf = (text: string) => text.split(".")[0];

describe("the OpenAPI document", () => {
  it("breaks no client of the last version, unless the major version is new", () => {
    const breaks = majorOf(version) === majorOf(last.info.version) ? findBreaks(last, openapi) : [];
    expect(breaks, "breaking changes; see docs/stability.md").toEqual([]);
  });

  it("is kept when the version is new; `-u` writes it", async () => {
    expect(last.info.version).toMatch(/^\d+\.\d+\.\d+$/);
    if (last.info.version !== version)
      await expect(`${JSON.stringify(compact(openapi))}\n`).toMatchFileSnapshot(path);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: plants changes anywhere in a document
type Changed = any;
const search = (document: Changed) => document.paths["/v1/history"].get;
const limit = (document: Changed) =>
  search(document).parameters.find(({ name }: Changed) => name === "limit");
const schemas = (document: Changed) => document.components.schemas;

describe("findBreaks", () => {
  it.each<[string, (document: Changed) => unknown, string]>([
    ["a path", (it) => delete it.paths["/v1/status"], "/v1/status is missing"],
    ["a pinned path", (it) => delete it.paths["/r/{release}/v1/report"], "/r/{release}/v1/report is missing"],
    ["an operation's id", (it) => (search(it).operationId = "find"), 'operationId is "find"'],
    ["a parameter", (it) => search(it).parameters.shift(), "/v1/history funder_ein is missing"],
    ["a lower maximum", (it) => (limit(it).schema.maximum = 500), "limit maximum is 500, was 1000"],
    ["a higher minimum", (it) => (limit(it).schema.minimum = 2), "limit minimum is 2, was 1"],
    ["another default", (it) => (limit(it).schema.default = 50), "limit default is 50, was 100"],
    [
      "a narrower pattern",
      (it) => (search(it).parameters[0].schema.pattern = "^\\d{9}$"),
      'funder_ein pattern is "^\\\\d{9}$"',
    ],
    ["another type", (it) => (limit(it).schema.type = "string"), 'limit type is "string"'],
    ["a parameter that is required now", (it) => (limit(it).required = true), "limit is required now"],
    [
      "a new required parameter",
      (it) => search(it).parameters.push({ name: "key", in: "query", required: true, schema: {} }),
      "/v1/history requires the new parameter key",
    ],
    ["a status", (it) => delete search(it).responses[304], "/v1/history 304 is missing"],
    ["a header", (it) => delete search(it).responses[200].headers.Link, "/v1/history 200 Link is missing"],
    [
      "a media type",
      (it) => delete it.paths["/v1/history.csv"].get.responses[200].content["text/csv"],
      "/v1/history.csv 200 text/csv is missing",
    ],
    ["a field", (it) => delete schemas(it).Status.properties.funders, "/v1/status 200 fields is"],
    [
      "a field that may be absent",
      (it) => schemas(it).Status.required.pop(),
      "200.likely_funders is not always present",
    ],
    [
      "a field that may be null",
      (it) => (schemas(it).Grant.properties.amount.type = ["number", "null"]),
      '/v1/history 200.data[].amount type is ["number","null"], was "number"',
    ],
    ["a new field of a grant", (it) => (schemas(it).Grant.properties.note = {}), "data[] fields is"],
    [
      "another order of fields",
      ({ components: { schemas } }) => {
        const { id, ...others } = schemas.Grant.properties;
        schemas.Grant.properties = { ...others, id };
      },
      "data[] fields is",
    ],
    [
      "a value of an enumeration",
      (it) => schemas(it).Report.properties.syncs.items.properties.result.enum.shift(),
      'result has no "published"',
    ],
    ["an error code", (it) => schemas(it).Error.properties.code.enum.pop(), "Error.code has no"],
    [
      "another status of an error code",
      (it) => {
        for (const { get } of Object.values<Changed>(it.paths)) {
          get.responses[409] = get.responses[400];
          delete get.responses[400];
        }
      },
      'the status of invalid_parameter is "409", was "400"',
    ],
  ])("finds %s", (_what, change, expected) => {
    const changed = structuredClone(openapi);
    change(changed);
    expect(findBreaks(compact(openapi), changed).join("\n")).toContain(expected);
  });

  it("allows new paths, optional parameters, headers, error codes and fields, other words, and wider bounds", () => {
    const changed: Changed = structuredClone(openapi);
    changed.paths["/v1/new"] = { get: { operationId: "new", parameters: [], responses: {} } };
    search(changed).parameters.push({ name: "new", in: "query", schema: { type: "string" } });
    search(changed).responses[200].headers["X-New"] = {};
    search(changed).summary = "Other words";
    schemas(changed).Error.properties.code.enum.push("new_code");
    schemas(changed).Status.properties.new_field = { type: "integer" };
    limit(changed).schema.maximum = 2000;
    search(changed).parameters[0].schema.pattern = "^[\\d,; -]+$";
    expect(findBreaks(compact(openapi), changed)).toEqual([]);
  });
});
