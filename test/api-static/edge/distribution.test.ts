// Tests that the CloudFormation template of the distribution is whole: every reference has its target, and origins are named.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseDocument, type ScalarTag } from "yaml";
import { contentSecurityPolicy, preflightHeaders } from "../../../api-static/contract/headers.ts";
import { buildFunction } from "../../../api-static/edge/build.ts";
import { repository } from "../server/release.fixture.ts";

const text = readFileSync(join(repository, "api-static/edge/cloudfront/distribution.yaml"), "utf8");

/** Every name that a reference of the template uses. */
const named = new Set<string>();

/** CloudFormation's short forms of references. */
const tags: ScalarTag[] = [
  { tag: "!Ref", resolve: (value) => reference(value, [value]) },
  { tag: "!GetAtt", resolve: (value) => reference(value, [value.split(".")[0] ?? ""]) },
  {
    tag: "!Sub",
    resolve: (value) =>
      reference(
        value,
        [...value.matchAll(/\$\{([\w:]+)/g)].map(([, name = ""]) => name),
      ),
  },
];

function reference(value: string, names: readonly string[]): string {
  for (const name of names) named.add(name);
  return value;
}

type Group = {
  readonly Id: string;
  readonly Members: { readonly Quantity: number; readonly Items: readonly { readonly OriginId: string }[] };
  readonly FailoverCriteria: {
    readonly StatusCodes: { readonly Quantity: number; readonly Items: readonly number[] };
  };
};

type Template = {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Resources: {
    readonly Distribution: {
      readonly Properties: {
        readonly DistributionConfig: {
          readonly Origins: readonly { readonly Id: string }[];
          readonly OriginGroups: { readonly Quantity: number; readonly Items: readonly Group[] };
          readonly DefaultCacheBehavior: { readonly TargetOriginId: string };
        };
      };
    };
  };
};

const document = parseDocument(text, { customTags: tags });
const template = document.toJS() as Template;
const distribution = template.Resources.Distribution.Properties.DistributionConfig;

describe("the template of the distribution", () => {
  it("is YAML without errors, and every reference names a parameter or a resource", () => {
    expect([...document.errors, ...document.warnings]).toStrictEqual([]);
    const known = [...Object.keys(template.Parameters), ...Object.keys(template.Resources)];
    for (const name of named) if (!name.startsWith("AWS::")) expect(known).toContain(name);
    for (const name of known) if (name !== "BucketPolicy") expect([...named], name).toContain(name);
  });

  it("asks the bucket first and then the server, for every status of a missing or failing bucket", async () => {
    const [group] = distribution.OriginGroups.Items;
    expect(distribution.Origins.map(({ Id }) => Id)).toStrictEqual(["bucket", "server"]);
    expect(group?.Members.Items.map(({ OriginId }) => OriginId)).toStrictEqual(["bucket", "server"]);
    expect(distribution.DefaultCacheBehavior.TargetOriginId).toBe(group?.Id);
    expect(group?.FailoverCriteria.StatusCodes.Items).toStrictEqual([403, 404, 500, 502, 503, 504]);
    expect(group?.FailoverCriteria.StatusCodes.Quantity).toBe(6);
    expect([group?.Members.Quantity, distribution.OriginGroups.Quantity]).toStrictEqual([2, 1]);
    expect(await buildFunction()).toContain("`server`"); // the id that the function selects
  });

  it("sends the server's policy with the site, and takes the function's text as a parameter", async () => {
    expect(text).toContain(`"${contentSecurityPolicy}; frame-ancestors 'none'"`);
    expect(text).toContain(`Items: [${preflightHeaders["Access-Control-Allow-Methods"]}]`);
    expect(Buffer.byteLength(await buildFunction())).toBeLessThan(4_096); // CloudFormation's limit on a parameter
  });
});
