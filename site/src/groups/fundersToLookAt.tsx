// Shows the funders that most often gave for the cause and in the place of a search, how they give, and whether one may apply.
import "../styles/states.css";
import { type Query, without } from "../address/query.ts";
import { funderSummaryCall, groupsCall } from "../api/calls.ts";
import type { GroupsPage } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { FunderName } from "../parts/organizationName.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { habitSentences } from "../text/habits.ts";
import { formatAmountLong, formatCounted } from "../text/numbers.ts";
import { filtersOnly, grantsHref, groupsHref } from "./group.ts";

/** Funders in the list; those of an answer by acceptance are in the same order, so none of them is missing there. */
const listed = "10";

type Funder = Extract<GroupsPage["data"][number], { funder_ein: string }>;

/** The list. It needs no EIN of an organization, so it is a count, and not the list whose score a release states. */
export function FundersToLookAt({ query }: { query: Query }) {
  const filters = filtersOnly(query);
  const call = (accepts: string | undefined) =>
    groupsCall({ ...filters, ...(accepts && { accepts }), by: "funder", sort: "records", limit: listed });
  const progress = useCall(call(undefined));
  const known = filters.accepts === undefined;
  const takes = einsOf(useCall(known ? call("yes") : undefined).found?.body);
  const selects = einsOf(useCall(known ? call("no") : undefined).found?.body);
  const funders = (progress.found?.body.data ?? []).flatMap((group) => ("funder_ein" in group ? group : []));
  const names = useNames(funders.map(({ funder_ein }) => funder_ein));
  const sayAccepts = (ein: string) =>
    takes.has(ein)
      ? "Takes applications, by its newest return that says so."
      : selects.has(ein)
        ? "Gives only to organizations that it selects, by its newest return that says so."
        : "No return in the data says whether it takes applications.";
  return (
    <div class="states">
      <p class="note">
        Those with the most grants of this search come first. That is a count of past grants, not a forecast:
        only the lists on pages of recipients are measured.{" "}
        {filters.accepts === "yes" ? null : (
          <a href={`${groupsHref("funder", { ...without(filters, "accepts"), accepts: "yes" })}`}>
            All that take applications
          </a>
        )}
      </p>
      <FailureNotice progress={progress} />
      <Waiting progress={progress} />
      <ol class="likely-funders">
        {funders.map((funder) => (
          <li key={funder.funder_ein}>
            <FunderName ein={funder.funder_ein} names={names} />
            <ul>
              <li>
                Gave {formatAmountLong(funder.amount)} in{" "}
                <a href={grantsHref({ ...filters, by: "funder" }, funder) ?? ""}>
                  {formatCounted(funder.records)} of this search
                </a>
                .
              </li>
              {known ? <li>{sayAccepts(funder.funder_ein)}</li> : null}
              <Habits ein={funder.funder_ein} />
            </ul>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** How a funder gives in all, once that is known. */
function Habits({ ein }: { ein: string }) {
  const summary = useCall(funderSummaryCall(ein)).found?.body.data;
  if (summary === undefined) return null;
  return habitSentences(summary).map((sentence) => <li key={sentence}>{sentence}</li>);
}

function einsOf(page: GroupsPage | undefined): ReadonlySet<string> {
  return new Set(
    page?.data.flatMap((group): Funder["funder_ein"][] => ("funder_ein" in group ? [group.funder_ein] : [])),
  );
}
