// Reads the CloudFormation template of the distribution, as `make edge` writes it.
import { parseDocument, type ScalarTag } from "yaml";
import { buildDistribution } from "../../../api-static/edge/build.ts";

type Group = {
  readonly Id: string;
  readonly Members: { readonly Quantity: number; readonly Items: readonly { readonly OriginId: string }[] };
  readonly FailoverCriteria: {
    readonly StatusCodes: { readonly Quantity: number; readonly Items: readonly number[] };
  };
};

type TemplateFunction = { readonly Properties: { readonly FunctionCode: string } };

export type Template = {
  readonly Parameters: Readonly<Record<string, unknown>>;
  readonly Resources: {
    readonly Function: TemplateFunction;
    readonly LinkFunction: TemplateFunction;
    readonly Distribution: {
      readonly Properties: {
        readonly DistributionConfig: {
          readonly Origins: readonly { readonly Id: string }[];
          readonly OriginGroups: { readonly Quantity: number; readonly Items: readonly Group[] };
          readonly DefaultCacheBehavior: {
            readonly TargetOriginId: string;
            readonly FunctionAssociations: readonly {
              readonly EventType: string;
              readonly FunctionARN: string;
            }[];
          };
          readonly CacheBehaviors: readonly {
            readonly PathPattern: string;
            readonly TargetOriginId: string;
            readonly AllowedMethods: readonly string[];
            readonly CachePolicyId: string;
            readonly OriginRequestPolicyId: string;
          }[];
          readonly CustomErrorResponses: readonly {
            readonly ErrorCode: number;
            readonly ErrorCachingMinTTL: number;
          }[];
        };
      };
    };
  };
};

/** The template, the problems that a YAML parser finds, and every referenced name. */
export type ReadTemplate = {
  readonly text: string;
  readonly template: Template;
  readonly complaints: readonly unknown[];
  readonly named: ReadonlySet<string>;
};

export async function readTemplate(): Promise<ReadTemplate> {
  const named = new Set<string>();
  const reference = (value: string, names: readonly string[]): string => {
    for (const name of names) named.add(name);
    return value;
  };
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
  const text = await buildDistribution();
  const document = parseDocument(text, { customTags: tags });
  const template = document.toJS() as Template;
  return { text, template, complaints: [...document.errors, ...document.warnings], named };
}
