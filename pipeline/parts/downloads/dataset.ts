// Describes the dataset of a release for catalogs: as a Data Package, and in Croissant, which is also schema.org's Dataset.
import { nameColumns } from "../../../api-static/contract/answers/csv.ts";
import {
  type DownloadName,
  downloadKey,
  downloadTypes,
} from "../../../api-static/contract/answers/downloads.ts";
import { matchSchema } from "../../../api-static/contract/answers/matches.ts";
import { fieldSchemas, type RecordField } from "../../../api-static/contract/answers/record.ts";
import type { FileDigest } from "../../base/digests.ts";
import { listColumns } from "./grants.ts";

/** What is described. */
export type Dataset = {
  readonly release: string;
  /** When its sync began, ISO 8601. */
  readonly moment: string;
  readonly isSynthetic: boolean;
  /** True if it has a list of organizations, so that the files have their names. */
  readonly hasNames: boolean;
  readonly records: number;
  /** The first and the last year of its grants. */
  readonly firstYear: number;
  readonly lastYear: number;
};

/** A file with the grants or with their matches. */
type DataName = Extract<DownloadName, `${"grants" | "matches"}.${string}`>;

/** The digests of the files that a release has; a large one has no CSV. */
export type DataFiles = ReadonlyMap<DataName, FileDigest>;

const title = "Grants of US nonprofits";

function describe({ isSynthetic, records, firstYear, lastYear }: Dataset): string {
  const source = isSynthetic
    ? "They are made up, for trying the service out."
    : "Nonprofits reported them to the Internal Revenue Service in Form 990 (Schedules I and F) and Form 990-PF; names and purposes are as filed.";
  const years = firstYear === lastYear ? `year ${firstYear}` : `years ${firstYear} to ${lastYear}`;
  return `${records} grants of the ${years}, by funder, then newest year and largest amount first. ${source}`;
}

type FieldType = { readonly table: string; readonly croissant: string };

type Field = { readonly name: string; readonly type: FieldType; readonly description: string };

/** The field types of both formats. */
const types: Readonly<Record<RecordField, FieldType>> = {
  id: { table: "integer", croissant: "cr:Int64" },
  funder_ein: { table: "string", croissant: "sc:Text" },
  transaction_year: { table: "integer", croissant: "cr:Int32" },
  recipient_name: { table: "string", croissant: "sc:Text" },
  recipient_ein: { table: "string", croissant: "sc:Text" },
  type: { table: "string", croissant: "sc:Text" },
  amount: { table: "number", croissant: "sc:Number" },
  non_cash_amount: { table: "number", croissant: "sc:Number" },
  non_cash_description: { table: "string", croissant: "sc:Text" },
  purpose: { table: "string", croissant: "sc:Text" },
  created_at: { table: "datetime", croissant: "sc:DateTime" },
};

const nameDescriptions: Readonly<Record<string, string>> = {
  [nameColumns.funder_ein]: "Name of the funder, by its EIN.",
  [nameColumns.recipient_ein]: "Name of the recipient, by its EIN.",
};

function describeFields({ hasNames }: Dataset): Field[] {
  return listColumns(hasNames).map((name) => {
    const field = name as RecordField;
    const type = types[field] ?? types.recipient_name;
    return { name, type, description: nameDescriptions[name] ?? fieldSchemas[field].description };
  });
}

const matchFields: readonly Field[] = [
  ...Object.entries(matchSchema.properties).map(([name, { description }]) => {
    const type = { id: types.id, match_score: types.amount }[name] ?? types.type;
    return { name, type, description };
  }),
  {
    name: "rules_version",
    type: types.transaction_year,
    description: "Version of the rules; increased with every change of them.",
  },
];

const matchesMeaning = "Likely recipients of grants that name no EIN, by EIN and grant; as Parquet.";

const meanings: Readonly<Record<DataName, string>> = {
  "grants.parquet": "All grants, as Parquet.",
  "grants.csv.gz": "All grants, as compressed CSV.",
  "matches.parquet": matchesMeaning,
};

/** `datapackage.json` (https://datapackage.org/standard/data-package/, version 2.0). */
export function formatDataPackage(dataset: Dataset, files: DataFiles): string {
  const schemaOf = (fields: readonly Field[]) => ({
    fields: fields.map(({ name, type, description }) => ({
      name,
      type: type.table,
      description,
      ...(type.table === "datetime" && { format: "any" }),
    })),
    primaryKey: ["id"],
    missingValues: [""],
  });
  const schema = schemaOf(describeFields(dataset));
  const own: Readonly<Record<DataName, object>> = {
    "grants.parquet": { name: "grants-parquet", format: "parquet", schema },
    "grants.csv.gz": { name: "grants-csv", format: "csv", encoding: "utf-8", schema },
    "matches.parquet": {
      name: "matches",
      format: "parquet",
      description: matchesMeaning,
      schema: schemaOf(matchFields),
    },
  };
  return format({
    $schema: "https://datapackage.org/profiles/2.0/datapackage.json",
    name: "us-nonprofit-grants",
    title,
    description: describe(dataset),
    version: dataset.release,
    created: dataset.moment,
    sources: sourcesOf(dataset),
    resources: [...files].map(([path, { bytes, sha256 }]) => ({
      path,
      mediatype: downloadTypes[path],
      type: "table",
      bytes,
      hash: `sha256:${sha256}`,
      ...own[path],
    })),
  });
}

function sourcesOf({ isSynthetic }: Dataset) {
  if (isSynthetic) return [{ title: "made up" }];
  return [
    {
      title: "Form 990 series, Internal Revenue Service",
      path: "https://www.irs.gov/charities-non-profits/form-990-series-downloads",
    },
  ];
}

/** The terms that the document uses, of https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html, appendix 1. */
const context = {
  "@language": "en",
  "@vocab": "http://schema.org/",
  sc: "http://schema.org/",
  cr: "http://mlcommons.org/croissant/",
  dct: "http://purl.org/dc/terms/",
  column: "cr:column",
  conformsTo: "dct:conformsTo",
  extract: "cr:extract",
  field: "cr:field",
  dataType: { "@id": "cr:dataType", "@type": "@vocab" },
  fileObject: "cr:fileObject",
  isLiveDataset: "cr:isLiveDataset",
  key: "cr:key",
  recordSet: "cr:recordSet",
  source: "cr:source",
};

/** `croissant.json`, which the site's page of downloads has too, so its addresses start at the host. */
export function formatCroissant(dataset: Dataset, files: DataFiles): string {
  const { release, moment, firstYear, lastYear } = dataset;
  const recordSet = (name: "grants" | "matches", fields: readonly Field[], description: string) => ({
    "@type": "cr:RecordSet",
    "@id": name,
    name,
    key: { "@id": `${name}/id` },
    description,
    field: fields.map(({ name: column, type, description }) => ({
      "@type": "cr:Field",
      "@id": `${name}/${column}`,
      name: column,
      description,
      dataType: type.croissant,
      source: { fileObject: { "@id": `${name}.parquet` }, extract: { column } },
    })),
  });
  return format({
    "@context": context,
    "@type": "sc:Dataset",
    conformsTo: "http://mlcommons.org/croissant/1.1",
    name: title,
    description: describe(dataset),
    url: "/downloads",
    version: release,
    datePublished: moment,
    temporalCoverage: `${firstYear}/${lastYear}`,
    isLiveDataset: true,
    license: "https://creativecommons.org/publicdomain/mark/1.0/",
    creator: { "@type": "sc:Organization", name: sourcesOf(dataset)[0]?.title },
    keywords: ["grants", "nonprofits", "foundations", "Form 990"],
    isAccessibleForFree: true,
    distribution: [...files].map(([name, { bytes, sha256 }]) => ({
      "@type": "cr:FileObject",
      "@id": name,
      name,
      description: meanings[name],
      contentUrl: `/${downloadKey(name)}`,
      encodingFormat: downloadTypes[name],
      contentSize: `${bytes} B`,
      sha256,
    })),
    recordSet: [
      recordSet("grants", describeFields(dataset), "One record for each grant."),
      recordSet("matches", matchFields, "One record for each grant with a likely recipient."),
    ],
  });
}

function format(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
