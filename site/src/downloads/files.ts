// Reads sizes and digests of a release's downloads from the description that it has of them.
import { useEffect, useState } from "preact/hooks";
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";

/** A file with all grants. */
export type DataFile = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** The parts of a Data Package that the page uses. */
type DataPackage = {
  readonly created: string;
  readonly version: string;
  /** Without an address if the grants are made up. */
  readonly sources: readonly { readonly path?: string }[];
  readonly resources: readonly { readonly path: string; readonly bytes: number; readonly hash: string }[];
};

/** The files of a release. */
export type ReleaseFiles = {
  readonly release: string;
  /** When its sync began, ISO 8601. */
  readonly moment: string;
  readonly isSynthetic: boolean;
  readonly data: readonly DataFile[];
};

/** The files; "none" if the release has none, undefined until they are known. */
export type Files = ReleaseFiles | "none" | undefined;

export function useFiles(): Files {
  const [files, setFiles] = useState<Files>();
  useEffect(() => {
    readFiles().then(setFiles, () => undefined); // without them, the page still has its links
  }, []);
  return files;
}

async function readFiles(): Promise<Files> {
  const response = await fetch(`/${downloadKey("datapackage.json")}`);
  if (response.status === 404) return "none";
  if (!response.ok) return undefined;
  const { version: release, created: moment, sources, resources } = (await response.json()) as DataPackage;
  const isSynthetic = sources.every(({ path }) => path === undefined);
  const data = resources.map(({ hash, ...file }) => ({ ...file, sha256: hash.replace("sha256:", "") }));
  return { release, moment, isSynthetic, data };
}
