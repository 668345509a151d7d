// Shows why there is no organization at an address: it has no valid EIN, or one that is only on the other side, or nowhere.
import { hyphenateEin, parseEin } from "../../../api-static/contract/ein.ts";
import { useTitle } from "../address/useTitle.ts";
import { recipientSummaryCall, searchCall, statusCall } from "../api/calls.ts";
import { useCall } from "../api/useCall.ts";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Labeled } from "../parts/labeled.tsx";
import { Notice } from "../parts/notice.tsx";
import { Skeleton } from "../parts/waiting.tsx";
import { NearNames } from "../search/nearNames.tsx";
import { formatAmountLong, formatCounted, formatYears } from "../text/numbers.ts";
import { explainEin } from "../text/problems.ts";
import { cleanEin } from "../text/typed.ts";
import { Kicker } from "./head.tsx";
import { LikelyFunders } from "./likelyFunders.tsx";
import { organizationHref, otherSide, type Side } from "./side.ts";

type Properties = {
  readonly side: Side;
  readonly ein: string;
  /** Null if no source has it. */
  readonly name: string | null;
};

/** Looks for the EIN in the other role, and shows the result; for an EIN without grants, organizations of a similar name. */
export function Missing({ side, ein, name }: Properties) {
  const other = useCall(searchCall({ [`${otherSide[side]}_ein`]: ein, limit: "1" }));
  const total = other.found?.body.total;
  // Asked only if there is one, so that nothing is asked in vain.
  const sum = useCall(side === "funder" && total ? recipientSummaryCall(ein) : undefined).found?.body.data
    .amount;
  const shown = name ?? `EIN ${hyphenateEin(ein)}`;
  const title =
    total === undefined
      ? undefined
      : total > 0
        ? `No grants ${side === "funder" ? "made by" : "received by"} ${shown}`
        : name === null
          ? `${shown} isn’t in the data`
          : `${shown} has no grants in the data`;
  useTitle(title === undefined ? undefined : `${title} – Grant History`);
  if (other.failure !== undefined) return <FailureNotice isOrganization progress={other} />;
  if (total === undefined || title === undefined) return other.state === "asking" ? null : <Skeleton />;
  if (total === 0)
    return (
      <>
        <Unknown title={title} />
        {name === null || side === "funder" ? null : <LikelyFunders ein={ein} basis="organization" />}
        {name === null ? null : <NearNames text={name} except={ein} />}
      </>
    );
  return (
    <Notice title={title}>
      {side === "funder" ? (
        <>
          It appears here as a recipient:{" "}
          <a href={organizationHref("recipient", ein)}>
            {formatCounted(total)} received{sum === undefined ? "" : `, ${formatAmountLong(sum)}`}
          </a>
          . Organizations that make no grants, or whose filing isn’t in the data, have no funder page.
        </>
      ) : (
        <>
          It appears here as a funder:{" "}
          <a href={organizationHref("funder", ein)}>{formatCounted(total)} made</a>. Many grants are filed
          without their recipient’s EIN: <a href="/">search recipients by name</a>.
        </>
      )}
    </Notice>
  );
}

function Unknown({ title }: { title: string }) {
  const { found } = useCall(statusCall);
  const years =
    found === undefined ? "" : ` of ${formatYears(found.body.first_year ?? 0, found.body.last_year ?? 0)}`;
  return (
    <Notice title={title}>
      No grant{years} names it as funder or recipient. It may file Form 990-N or 990-EZ, file on paper, or
      give and receive less than $5,000. <a href="/">Search recipients by name</a>
    </Notice>
  );
}

/** A form that asks for an EIN; it keeps what was entered. @param value the address's `ein`, if it has one */
export function AskEin({ side, value }: { side: Side; value: string | undefined }) {
  const problem =
    value === undefined || parseEin(cleanEin(value)) !== undefined ? undefined : explainEin(value);
  const name = side === "funder" ? "Funder" : "Recipient";
  return (
    <>
      <header>
        <Kicker side={side} />
        <h1>{problem === undefined ? `Which ${side}?` : "This isn’t an EIN"}</h1>
      </header>
      <form class="ask-ein" action={`/${side}`} method="get">
        <Labeled id="ein" label={`${name} EIN`} problem={problem}>
          {(described) => (
            <input
              {...described}
              class="field"
              name="ein"
              inputMode="numeric"
              autoComplete="off"
              required
              defaultValue={value}
            />
          )}
        </Labeled>
        <button class="button button-main" type="submit">
          Show
        </button>
      </form>
      {problem === undefined ? null : <NearNames text={value ?? ""} />}
    </>
  );
}
