// Tests that the CloudFormation template of the distribution is whole: every reference has its target, and origins are named.
import { describe, expect, it } from "vitest";
import { contentSecurityPolicy, readMethods } from "../../../api-static/contract/headers.ts";
import { parseTarget, paths } from "../../../api-static/contract/request.ts";
import { buildFunction } from "../../../api-static/edge/build.ts";
import { readTemplate } from "./template.fixture.ts";

/** CloudFormation's limits on a template in a request, and CloudFront's on a function. */
const [templateBytesMax, functionBytesMax] = [51_200, 10_240];

/** Policies of CloudFront. Source: its developer guide, "Use managed cache policies" and "… origin request policies". */
const cachingDisabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";
const allViewerExceptHostHeader = "b689b0a8-53d0-40ab-baf2-68738e2966ac";

const { text, template, complaints, named } = await readTemplate();
const { Parameters, Resources } = template;
const distribution = Resources.Distribution.Properties.DistributionConfig;

describe("the template of the distribution", () => {
  it("is YAML without errors, and every reference names a parameter or a resource", () => {
    expect(complaints).toStrictEqual([]);
    const known = [...Object.keys(Parameters), ...Object.keys(Resources)];
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

  it("sends forms with names to reconcile and calls of agents to the server, uncached", () => {
    const behaviors = distribution.CacheBehaviors;
    expect(behaviors.map(({ PathPattern }) => PathPattern)).toStrictEqual([paths.reconcile, paths.callTools]);
    for (const behavior of behaviors) {
      expect(behavior.TargetOriginId).toBe("server");
      for (const method of parseTarget(behavior.PathPattern, "").methods.split(", "))
        expect(behavior.AllowedMethods).toContain(method);
      expect(behavior.AllowedMethods).toHaveLength(7); // CloudFront has no smaller set with POST
      const ids = [behavior.CachePolicyId, behavior.OriginRequestPolicyId];
      expect(ids).toStrictEqual([cachingDisabled, allViewerExceptHostHeader]);
    }
  });

  it("keeps no error longer than the server allows", () => {
    for (const code of [404, 500, 501, 502, 503, 504]) {
      const response = distribution.CustomErrorResponses.find(({ ErrorCode }) => ErrorCode === code);
      expect(response, String(code)).toStrictEqual({ ErrorCode: code, ErrorCachingMinTTL: 0 });
    }
  });

  it("holds the function itself, with room for one of the largest size", async () => {
    const code = await buildFunction();
    expect(Resources.Function.Properties.FunctionCode).toBe(code);
    const spare = functionBytesMax - Buffer.byteLength(code);
    expect(Buffer.byteLength(text) + 2 * spare).toBeLessThan(templateBytesMax);
  });

  it("runs one function before the cache, and the one for links on every response", () => {
    const { FunctionAssociations } = distribution.DefaultCacheBehavior;
    expect(FunctionAssociations).toStrictEqual([
      { EventType: "viewer-request", FunctionARN: "Function.FunctionARN" },
      { EventType: "viewer-response", FunctionARN: "LinkFunction.FunctionARN" },
    ]);
  });

  it("sends the server's policy with the site, and its methods in preflights", () => {
    expect(text).toContain(`"${contentSecurityPolicy}; frame-ancestors 'none'"`);
    expect(text).toContain(`Items: [${readMethods}]`);
  });
});
