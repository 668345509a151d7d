// Turns the OpenAPI document into the content of the guide.
import { formatJson } from "./json.ts";
import { describedElsewhere, exampleQueries, type SectionPlan, sectionPlans } from "./sections.ts";

/** The parts of a JSON Schema that the guide uses. */
export type GuideSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, GuideSchema>>;
};

type DocumentParameter = {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly description?: string;
  readonly schema?: GuideSchema;
};

type DocumentOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly DocumentParameter[];
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, DocumentContent>> }>>;
};

type DocumentContent = { readonly schema?: GuideSchema; readonly example?: unknown };

/** The parts of an OpenAPI document that the guide uses. */
export type OpenApiDocument = {
  readonly paths: Readonly<Record<string, { readonly get: DocumentOperation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, GuideSchema>> };
};

export type Described = { readonly name: string; readonly kind: string; readonly description: string };

export type GuideOperation = {
  readonly id: string;
  readonly path: string;
  readonly summary: string;
  /** Those that no earlier operation has. */
  readonly parameters: readonly Described[];
  /** Names of those that an earlier operation has too. */
  readonly knownParameters: readonly string[];
  /** Fields of the answer that the document describes and no earlier operation has. */
  readonly fields: readonly Described[];
  /** Path and query of the example. */
  readonly request: string;
  /** The text of its answer. */
  readonly answer: string;
};

export type GuideSection = Omit<SectionPlan, "operations"> & {
  readonly operations: readonly GuideOperation[];
};

/** The guide's content. */
export type Guide = {
  readonly sections: readonly GuideSection[];
  /** A request with mistakes, and the answer that reports them. */
  readonly mistake: { readonly request: string; readonly answer: string };
};

/**
 * The operations of the document by section. Pinned operations are omitted: the guide explains pinning once.
 * @throws Error if a section names an operation that the document doesn't have
 */
export function toSections(document: OpenApiDocument): GuideSection[] {
  const entries = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith("/r/"))
    .map(([path, { get }]) => ({ path, get }));
  const planned = new Set([...describedElsewhere, ...sectionPlans.flatMap(({ operations }) => operations)]);
  const others = entries.filter(({ get }) => !planned.has(get.operationId));
  const plans = [
    ...sectionPlans,
    ...others.map(({ get: { operationId, summary } }) => ({
      id: operationId,
      title: summary,
      intro: [],
      operations: [operationId],
    })),
  ];
  const known = { parameters: new Set<string>(), fields: new Set<string>() };
  return plans.map((plan) => ({
    ...plan,
    operations: plan.operations.map((id) => {
      const entry = entries.find(({ get }) => get.operationId === id);
      if (entry === undefined) throw new Error(`the OpenAPI document has no operation ${id}`);
      return toOperation(document, entry.path, entry.get, known);
    }),
  }));
}

/** Parameters and fields that earlier operations describe. A field is identified by its name and description. */
type Known = { readonly parameters: Set<string>; readonly fields: Set<string> };

function newFields(document: OpenApiDocument, schema: GuideSchema, known: Set<string>): Described[] {
  return fieldsOf(document, schema).filter(({ name, description }) => {
    const field = `${name}: ${description}`;
    const isNew = !known.has(field);
    known.add(field);
    return isNew;
  });
}

function toOperation(
  document: OpenApiDocument,
  path: string,
  { operationId, summary, parameters, responses }: DocumentOperation,
  known: Known,
): GuideOperation {
  const named = parameters.filter(({ name }) => name !== undefined);
  const added = named.filter(({ name = "" }) => !known.parameters.has(name));
  const knownParameters = named.flatMap(({ name = "" }) => (known.parameters.has(name) ? [name] : []));
  for (const { name = "" } of added) known.parameters.add(name);
  const [type = "", content = {}] = Object.entries(responses[200]?.content ?? {})[0] ?? [];
  return {
    id: operationId,
    path,
    summary,
    parameters: added.map(({ name = "", description = "", schema = {} }) => ({
      name,
      kind: kindOf(schema),
      description,
    })),
    knownParameters,
    fields: type === "application/json" ? newFields(document, content.schema ?? {}, known.fields) : [],
    request: formatRequest(path, { operationId, parameters }),
    answer: formatExample(content.example),
  };
}

/** Path and query of an operation's example: the path has the examples of its parameters. */
export function formatRequest(
  path: string,
  { operationId, parameters }: Pick<DocumentOperation, "operationId" | "parameters">,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const { schema } = parameters.find((parameter) => parameter.name === name) ?? {};
    return String(schema?.examples?.[0] ?? name);
  });
  return filled + (exampleQueries[operationId] ?? "");
}

/** The described fields of an answer; of `data`, if it is one object. */
function fieldsOf(document: OpenApiDocument, schema: GuideSchema): Described[] {
  const resolve = ({ $ref, ...own }: GuideSchema): GuideSchema =>
    $ref === undefined ? own : (document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  const whole = resolve(schema);
  const data = whole.properties?.data;
  const { properties = {} } = data?.properties === undefined ? whole : data;
  return Object.entries(properties).flatMap(([name, { description, type }]) =>
    description === undefined
      ? []
      : [{ name, kind: [type ?? []].flat().includes("null") ? "or null" : "", description }],
  );
}

/** The rule for a value, in a few words: "nine digits", "1 to 1,000, default 100", "year or amount, default year". */
export function kindOf(schema: GuideSchema): string {
  const { type, pattern, minimum, maximum, minLength, maxLength } = schema;
  const byDefault = schema.default === undefined ? "" : `, default ${schema.default}`;
  if (schema.const !== undefined) return String(schema.const);
  if (schema.enum !== undefined)
    return new Intl.ListFormat("en", { type: "disjunction" }).format(schema.enum.map(String)) + byDefault;
  if (pattern?.includes("{9}") === true || /\\d\{2\}.*\\d\{7\}/.test(pattern ?? "")) return "nine digits";
  if (pattern === "^[A-Za-z]{2}$") return "two letters";
  if (maxLength !== undefined) return `${minLength ?? 0} to ${maxLength} characters`;
  if (minimum === 1000 && maximum === 9999) return "four digits";
  if (minimum !== undefined && maximum !== undefined)
    return `${minimum.toLocaleString("en-US")} to ${maximum.toLocaleString("en-US")}${byDefault}`;
  return type === "number" ? "dollars" : "";
}

/** An example as the API writes it: amounts with their two decimals. `nulls` has counts by field. */
function formatExample(example: unknown): string {
  if (example === undefined) return "";
  if (typeof example === "string") return example.trimEnd();
  const json = JSON.stringify(example);
  return formatJson(
    json.replaceAll(
      /"nulls":\{[^}]*\}|("(?:amount|non_cash_amount|from|below)":)(-?[\d.]+)/g,
      (text, name, amount) => (name === undefined ? text : `${name}${Number(amount).toFixed(2)}`),
    ),
  );
}
