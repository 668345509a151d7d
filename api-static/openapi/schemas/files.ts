// Builds the schemas of files: names of funders, and the index of changes between releases.
import { changesReasons, changesTypes } from "../../contract/changes.ts";
import {
  body,
  count,
  counted,
  exactly,
  instant,
  nullable,
  releaseId,
  withOptional,
} from "../../contract/schema.ts";
import { listed } from "./names.ts";

const file = exactly("A file with the changes.", {
  format: { enum: Object.keys(changesTypes) },
  url: { type: "string", description: "Path below the host." },
  bytes: count,
  sha256: { type: "string" },
});

const entry = withOptional(
  exactly("The changes from one release to the next one that became current.", {
    from: { ...nullable(releaseId), description: "The release before; null for the first release." },
    to: releaseId,
    at: { ...instant, description: "When `to` became current." },
    added: { ...nullable(count), description: "Number of records; null without files." },
    changed: nullable(count),
    removed: nullable(count),
    files: { type: "array", items: file },
    records: counted("Number of records of `to`."),
    digest: {
      type: "string",
      description:
        "SHA-256 of all records of `to`, each as JSON, a comma and a line feed: by funder_ein, then in result order.",
    },
  }),
  {
    reason: { enum: changesReasons, description: "Why there are no files: copy the current release anew." },
    download: {
      type: "string",
      description: "Path of the Parquet file with all grants of the current release.",
    },
  },
);

export const fileSchemas = {
  NamesByEin: body("Funders with a name, by EIN.", {
    data: { type: "array", items: exactly("A funder.", listed) },
  }),
  ChangesIndex: exactly(
    "The changes of 60 days, oldest first. Each entry starts at the release where the one before ended. A copy of a release continues with the last entry that starts from it.",
    { current: releaseId, entries: { type: "array", items: entry } },
  ),
};
