// Shows the choice of years, which all rows of a comparison follow.
import { describeYears } from "../../../api-static/contract/text/searchText.ts";
import { fieldClass } from "../parts/labeled.tsx";
import { type Compared, lastRun } from "./compared.ts";
import { allYears, isAll, queryOf, type Years } from "./selection.ts";

type Properties = {
  readonly compared: readonly Compared[];
  /** The years that the funders have in common, oldest first. */
  readonly common: readonly number[];
  readonly years: Years;
  readonly onYears: (years: Years) => void;
};

/** Two fields, and the years that the funders have in common. */
export function YearsForm({ compared, common, years, onYears }: Properties) {
  const all = [...new Set(compared.flatMap(({ summary }) => summary.years.map((of) => of.transaction_year)))];
  const run = compared.length > 1 ? lastRun(common) : undefined;
  const field = (bound: keyof Years, label: string) => (
    <label class="label">
      {label}
      <select
        class={fieldClass(years[bound] !== undefined)}
        value={years[bound] ?? ""}
        onChange={({ currentTarget: { value } }) => {
          const chosen = { ...years, [bound]: value === "" ? undefined : Number(value) };
          const { min = -Infinity, max = Infinity } = chosen;
          onYears(min <= max ? chosen : { min: Number(value), max: Number(value) });
        }}
      >
        <option value="">Any</option>
        {[...new Set([...all, years[bound] ?? []].flat())]
          .sort((a, b) => b - a)
          .map((year) => (
            <option key={year} value={year}>
              {year}
            </option>
          ))}
      </select>
    </label>
  );
  return (
    <div class="compared-years" role="group" aria-label="Years to compare">
      {field("min", "From year")}
      {field("max", "To year")}
      {run === undefined ? null : (
        <button type="button" class="button" onClick={() => onYears(run)}>
          Common years: {describeYears(queryOf(run))}
        </button>
      )}
      {isAll(years) ? null : (
        <button type="button" class="button" onClick={() => onYears(allYears)}>
          All years
        </button>
      )}
    </div>
  );
}
