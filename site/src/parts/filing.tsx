// Links a grant to the return that lists it.
import { grantCall } from "../api/calls.ts";
import type { GrantWithSource } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { findReturnHrefs } from "../text/returns.ts";

type Properties = {
  /** Of the grant. */
  readonly id: number;
  readonly funder: string;
};

/** The links, once they are found. */
export function FilingOfGrant({ id, funder }: Properties) {
  const { found, failure, retry } = useCall(grantCall(id));
  return (
    <small class="check-filing" role="status">
      {found !== undefined ? (
        <FilingLinks funder={funder} source={found.body.source} />
      ) : failure !== undefined ? (
        <button type="button" class="link-button" onClick={retry}>
          Check the filing: try again
        </button>
      ) : (
        "Looking up the filing…"
      )}
    </small>
  );
}

/** A return's form and period, and its public addresses. */
function FilingLinks({ funder, source }: { funder: string; source: GrantWithSource["source"] }) {
  if (source === null) return <>The filing of this grant isn’t known.</>;
  const { propublica, irs } = findReturnHrefs(funder, source);
  return (
    <>
      Form {source.form} for the year to {source.period}:{" "}
      <a href={propublica} rel="noreferrer">
        on ProPublica
      </a>
      {irs === undefined ? null : (
        <>
          ,{" "}
          <a href={irs} rel="noreferrer">
            in the IRS’s {source.zip}
          </a>{" "}
          ({source.object_id})
        </>
      )}
    </>
  );
}
