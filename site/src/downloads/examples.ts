// Writes the examples of the Downloads page: the ten funders that gave most, in four languages, and the ten likely recipients.
import { downloadKey } from "../../../api-static/contract/answers/downloads.ts";

export type Example = { readonly title: string; readonly code: string };

/** The examples, with the addresses of Parquet files. @param origin of the site, e.g., "https://grants.example.org" */
export function makeExamples(origin: string): readonly Example[] {
  const url = `${origin}/${downloadKey("grants.parquet")}`;
  return [
    {
      title: "DuckDB",
      code: `SELECT funder_ein, sum(amount) AS total
FROM read_parquet('${url}')
GROUP BY funder_ein
ORDER BY total DESC
LIMIT 10;`,
    },
    {
      title: "pandas",
      code: `import pandas as pd

url = "${url}"
grants = pd.read_parquet(url, columns=["funder_ein", "amount"])
grants["amount"] = grants["amount"].astype(float)
print(grants.groupby("funder_ein")["amount"].sum().nlargest(10))`,
    },
    {
      title: "polars",
      code: `import polars as pl

url = "${url}"
totals = (
    pl.scan_parquet(url)
    .group_by("funder_ein")
    .agg(pl.col("amount").sum())
    .sort("amount", descending=True)
)
print(totals.head(10).collect())`,
    },
    {
      title: "R",
      code: `library(arrow)
library(dplyr)

url <- "${url}"
download.file(url, "grants.parquet", mode = "wb")
read_parquet("grants.parquet") |>
  count(funder_ein, wt = amount, sort = TRUE) |>
  head(10)`,
    },
    {
      title: "DuckDB, likely recipients",
      code: `SELECT matched_ein, sum(amount) AS total
FROM read_parquet('${url}')
JOIN read_parquet('${origin}/${downloadKey("matches.parquet")}') USING (id)
GROUP BY matched_ein
ORDER BY total DESC
LIMIT 10;`,
    },
  ];
}
