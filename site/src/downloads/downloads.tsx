// Shows the files with all grants, their sizes and digests, and examples that read them. All but the numbers is in the HTML.
import type { ComponentChildren } from "preact";
import { type DownloadName, downloadKey } from "../../../api-static/contract/answers/downloads.ts";
import type { paths } from "../../../api-static/contract/request.ts";
import { Panel } from "../docs/panels.tsx";
import { CopyButton } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Notice } from "../parts/notice.tsx";
import { Section } from "../parts/section.tsx";
import { formatBytes, formatCounted, formatDay } from "../text/numbers.ts";
import { makeExamples } from "./examples.ts";
import type { Files, ReleaseFiles } from "./files.ts";

/** Only its type is imported: a page has no room for all operations. */
const exportPath: (typeof paths)["exportGrants"] = "/v1/history.csv";

type Properties = {
  /** The origin in the examples. */
  readonly origin: string;
  readonly files?: Files;
  /** The number of grants, which only a server's status has. */
  readonly records?: number | undefined;
  /** True for a script's page, which has the controls that need one. */
  readonly isLive?: boolean;
};

const hrefOf = (name: DownloadName) => `/${downloadKey(name)}`;

export function Downloads({ origin, files, records, isLive = false }: Properties) {
  const found = typeof files === "object" ? files : undefined;
  return (
    <div class="wide page downloads">
      <h1>Download all grants</h1>
      <p class="lede">
        Every grant of a release in one file
        {records === undefined ? "" : `: ${formatCounted(records)}`}
        {found === undefined ? "" : `, as of ${formatDay(found.moment)}`}.
      </p>
      {files === "none" ? (
        <Notice title="This release has no downloads">
          The operator has turned them off. The <a href="/">search</a> exports its results as CSV, and the{" "}
          <a href="/docs">API</a> has every grant.
        </Notice>
      ) : (
        <>
          <div class="columns">
            <Section title="Files">
              <DataFile name="grants.parquet" files={found}>
                Parquet, ordered by funder: programs read only the columns that they need.
              </DataFile>
              {found?.data.every(({ path }) => path !== "grants.csv.gz") ? (
                <p class="data-file">
                  There is no CSV: it would have more rows than a spreadsheet opens. A <a href="/">search</a>{" "}
                  exports its grants as CSV, and <a href={exportPath}>{exportPath}</a> streams all of them.
                </p>
              ) : (
                <DataFile name="grants.csv.gz" files={found}>
                  CSV, gzipped, with the same rows.
                </DataFile>
              )}
              <DataFile name="matches.parquet" files={found}>
                Parquet: likely EINs of recipients whose EIN wasn’t filed, by a grant’s <code>id</code>, each
                with its rule and evidence. <a href="/status">How right they are</a>
              </DataFile>
            </Section>
            <About files={found} />
          </div>
          <Section
            title="Examples"
            note="The ten funders that gave most, in four languages; and the ten likely recipients that received most"
          >
            <div class="examples">
              {makeExamples(origin).map(({ title, code }) => (
                <Panel key={title} title={title} name={`Example: ${title}`} code={code}>
                  {isLive ? <CopyButton text={() => code} /> : null}
                </Panel>
              ))}
            </div>
          </Section>
        </>
      )}
    </div>
  );
}

type Found = { readonly files: ReleaseFiles | undefined };
type FileProperties = Found & { name: DownloadName; children: ComponentChildren };

/** A file, with a place for its size and digest. */
function DataFile({ name, files, children }: FileProperties) {
  const file = files?.data.find(({ path }) => path === name);
  const { bytes, sha256 } = file ?? { bytes: 0, sha256: "0".repeat(64) };
  return (
    <div class="data-file">
      <a class="button" href={hrefOf(name)} download>
        <Icon name="download" /> {name}
      </a>
      <p>{children}</p>
      <p class={`note${file === undefined ? " is-awaited" : ""}`}>
        {formatBytes(bytes)} ({formatCounted(bytes, "byte")})<br />
        SHA-256 <code>{sha256}</code>
      </p>
    </div>
  );
}

function About({ files }: Found) {
  return (
    <Section title="About the data">
      <p>
        {files?.isSynthetic === true
          ? "These grants are made up: they are the sample of this software, not from real filings."
          : "Grants that US nonprofits list in their annual tax filings to the IRS (Forms 990 and 990-PF), as filed. The filings are public."}
      </p>
      <p>
        A file has the grants of one release, and the next sync replaces it. A path that starts with{" "}
        <code>/r/</code> and the release’s name keeps its content:{" "}
        <code class="release-id">
          /r/{files?.release ?? "20261120T040000Z"}
          {hrefOf("grants.parquet")}
        </code>
      </p>
      <ul>
        <li>
          <a href={hrefOf("SHA256SUMS")}>SHA256SUMS</a>, to check files with <code>sha256sum --check</code>
        </li>
        <li>
          <a href={hrefOf("datapackage.json")}>datapackage.json</a>, a Data Package: every column and its
          meaning
        </li>
        <li>
          <a href={hrefOf("croissant.json")}>croissant.json</a>, for Croissant and schema.org
        </li>
        <li>
          <a href="/docs#downloads">API guide</a>, for parts of a file
        </li>
      </ul>
    </Section>
  );
}
