// Shows that a search found nothing, how many grants looser searches find, and in which years they are.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type KnownNames, quoteSearched } from "../../../api-static/contract/text/searchText.ts";
import { formatQuery, inYear, type Query } from "../address/query.ts";
import { searchCall } from "../api/calls.ts";
import type { Status } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { YearColumns } from "../charts/yearColumns.tsx";
import { nameToAsk, useOrganizations } from "../names/useOrganizations.ts";
import { Section } from "../parts/section.tsx";
import { formatCount, formatCounted } from "../text/numbers.ts";
import { Between } from "./between.tsx";
import { countYears, describeNothing, explainSearch, type Loosened, loosen } from "./loosened.ts";
import { NearNames } from "./nearNames.tsx";
import { describeResult } from "./sentences.ts";

type Properties = {
  readonly query: Query;
  readonly known: KnownNames;
  readonly status: Status | undefined;
  readonly callBar: ComponentChildren;
  /** The filters, where they are folded. */
  readonly children: ComponentChildren;
};

/** Years are drawn where a looser search finds no more grants than one call can list. */
const drawnMax = 1_000;

/** The page of a search without grants. */
export function NothingFound({ query, known, status, callBar, children }: Properties) {
  const loosened = loosen(query, known);
  const counts = useCounts(loosened.map((each) => each.query));
  const removals = counts.filter((_, index) => loosened[index]?.removed !== undefined);
  const explanation = explainSearch(query);
  const text = query.purpose ?? query.recipient_name ?? "";
  const isAwaited = useNamesAwaited(text, status);
  const anyYear = loosened.findIndex(({ removed }) => removed === "years");
  return (
    <>
      <div>
        <h1 class="result-heading" id="result" tabIndex={-1}>
          {describeResult(0, query, known)}
        </h1>
        <p class="result-order">
          {describeNothing(
            query,
            removals.map((count) => (count === null ? undefined : count)),
          )}
        </p>
        <Between query={query} known={known} />
      </div>
      {children}
      <NearNames text={text} />
      {isAwaited ? <div class="results is-awaiting" /> : null}
      {loosened.length === 0 || isAwaited ? null : (
        <div class="columns">
          <Section
            title={removals.length === 0 ? "Look elsewhere" : "Loosen one filter"}
            note="Number of grants each would find"
          >
            <LoosenedList loosened={loosened} counts={counts} />
          </Section>
          {anyYear < 0 ? null : (
            <Years
              query={loosened[anyYear]?.query ?? {}}
              count={counts[anyYear]}
              chosen={query}
              status={status}
            />
          )}
        </div>
      )}
      {explanation === "" || isAwaited ? null : <p class="note nothing-note">{explanation}</p>}
      {isAwaited ? null : callBar}
    </>
  );
}

/** True until the organizations of a similar name are known, so that what is below them does not move. */
function useNamesAwaited(text: string, status: Status | undefined): boolean {
  const [name, found] = [nameToAsk(text), useOrganizations(text)];
  return status !== undefined && name !== undefined && found.name !== name;
}

function LoosenedList({ loosened, counts }: { loosened: readonly Loosened[]; counts: readonly Count[] }) {
  return (
    <ul class="loosened">
      {loosened.map(({ query, text }, index) => {
        const count = counts[index];
        return (
          <li key={text}>
            <span class="loosened-count">
              {count === undefined ? "…" : count === null ? "?" : formatCount(count)}
              <span class="hidden"> {count === 1 ? "grant" : "grants"}: </span>
            </span>
            {count === 0 ? (
              <span class="is-missing">{text}</span>
            ) : (
              <a href={`/${formatQuery(query)}`}>{text}</a>
            )}
          </li>
        );
      })}
    </ul>
  );
}

type YearsProperties = {
  readonly query: Query;
  /** The number of its grants. */
  readonly count: Count;
  readonly chosen: Query;
  readonly status: Status | undefined;
};

/** The years of a looser search; the searched year has a different background. */
function Years({ query, count, chosen, status }: YearsProperties) {
  const isDrawn = typeof count === "number" && count > 0 && count <= drawnMax;
  const { found } = useCall(isDrawn ? searchCall({ ...query, limit: String(drawnMax) }) : undefined);
  const field = query.purpose === undefined ? "recipient_name" : "purpose";
  const title = query[field] === undefined ? "By year" : `${quoteSearched(query, field)} by year`;
  const searched = [chosen.transaction_year, chosen.min_year, chosen.max_year].filter(
    (each) => each !== undefined,
  );
  const years = searched.map(Number);
  const columns =
    found === undefined
      ? []
      : countYears(
          found.body.data,
          Math.min(status?.first_year ?? Number.POSITIVE_INFINITY, ...years),
          Math.max(status?.last_year ?? Number.NEGATIVE_INFINITY, ...years),
        );
  return (
    <Section title={title} note={describeYears(query)}>
      <div class="nothing-chart">
        {typeof count === "number" && !isDrawn ? (
          <p>{count === 0 ? "No grants in any year." : `${formatCounted(count)} are too many to draw.`}</p>
        ) : null}
        {columns.length === 0 ? null : (
          <YearColumns
            columns={columns}
            formatValue={formatCount}
            describe={({ year: each, value }) => `${each}: ${formatCounted(value)}`}
            hrefOf={(each) => `/${formatQuery(inYear(query, each))}`}
            title={title}
            chosen={chosen.transaction_year === undefined ? undefined : Number(chosen.transaction_year)}
            height={150}
          />
        )}
      </div>
    </Section>
  );
}

function describeYears(query: Query): string {
  if (Object.keys(query).length > 1) return "Grants that pass the other filters";
  if (query.purpose !== undefined) return `Grants whose purpose contains ${quoteSearched(query, "purpose")}`;
  if (query.recipient_name !== undefined)
    return `Grants whose recipient’s name contains ${quoteSearched(query, "recipient_name")}`;
  return "Grants that pass the other filter";
}

/** A number of grants; undefined while it is awaited, null if there is no answer. */
type Count = number | null | undefined;

/** The number of grants of each search. */
function useCounts(queries: readonly Query[]): readonly Count[] {
  const key = queries.map(formatQuery).join("\n");
  const [counted, setCounted] = useState<{ key: string; counts: readonly Count[] }>({ key: "", counts: [] });
  useEffect(() => {
    const controller = new AbortController();
    let counts: Count[] = queries.map(() => undefined);
    for (const [index, query] of queries.entries())
      searchCall({ ...query, limit: "1" })
        .ask(controller.signal)
        .then((answer) => {
          counts = counts.with(index, answer.isFound ? answer.body.total : null);
          setCounted({ key, counts });
        })
        .catch(() => undefined); // stopped, because the reader went on
    return () => controller.abort();
  }, [key]);
  return counted.key === key ? counted.counts : queries.map(() => undefined);
}
