// Links a grant to the return that lists it, at ProPublica and at the IRS.
import { useState } from "preact/hooks";
import { grantCall } from "../api/calls.ts";
import type { Grant } from "../api/client.ts";
import { useCall } from "../api/useCall.ts";
import { findReturnHrefs } from "../text/returns.ts";

/** A button that asks for the grant's return, and then the links to it. */
export function CheckFiling({ grant }: { grant: Grant }) {
  const [isAsked, setIsAsked] = useState(false);
  const { found, failure, retry } = useCall(isAsked ? grantCall(grant.id) : undefined);
  if (found === undefined)
    return (
      <button
        type="button"
        class="link-button check-filing"
        aria-busy={isAsked && failure === undefined}
        onClick={() => (failure === undefined ? setIsAsked(true) : retry())}
      >
        {failure === undefined ? "Check the filing" : "Check the filing: try again"}
      </button>
    );
  const { source } = found.body;
  if (source === null) return <small class="check-filing">The filing of this grant isn’t known.</small>;
  const { propublica, irs } = findReturnHrefs(grant.funder_ein, source);
  return (
    <small class="check-filing" role="status">
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
    </small>
  );
}
