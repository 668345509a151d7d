// Shows a recipient's grants: the calls behind the page, the table and its pager.
import type { Ref } from "preact";
import { formatQuery } from "../address/query.ts";
import { pageHref } from "../api/calls.ts";
import type { HistoryPage, RecipientSummary } from "../api/client.ts";
import type { Progress } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { CallBar } from "../parts/callBar.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { GrantTable } from "../parts/grantTable.tsx";
import { Pager } from "../parts/pager.tsx";
import { useNarrow } from "../parts/useNarrow.ts";
import { Waiting } from "../parts/waiting.tsx";
import { formatCounted } from "../text/numbers.ts";

type Properties = {
  readonly ein: string;
  readonly summary: RecipientSummary | undefined;
  readonly grants: Progress<HistoryPage>;
  readonly calls: readonly [string, string];
  readonly heading: Ref<HTMLHeadingElement>;
  readonly onPage: (search: string) => void;
  readonly onUnpin: () => void;
};

/** The section of all grants received. */
export function AllReceived({ ein, summary, grants, calls, heading, onPage, onUnpin }: Properties) {
  const { found, state } = grants;
  const isNarrow = useNarrow();
  const names = useNames(found?.body.data.map(({ funder_ein }) => funder_ein) ?? []);
  const total = found?.body.total ?? summary?.records;
  const title =
    total === undefined ? "All grants" : total === 1 ? "The one grant" : `All ${formatCounted(total)}`;
  const callBar = (
    <CallBar
      calls={[
        { href: calls[0], use: "totals and charts" },
        { href: calls[1], use: "this table" },
      ]}
      release={found?.release}
    />
  );
  return (
    <section class="all-grants" aria-labelledby="grants">
      <h2 class="result-heading" id="grants" ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p class="note">Newest year first, then largest amount</p>
      <p class="hidden" role="status">
        {state === "found" ? title : ""}
      </p>
      {isNarrow ? null : callBar}
      <FailureNotice isOrganization progress={grants} onUnpin={onUnpin} />
      <Waiting progress={grants} />
      {found === undefined ? null : (
        <>
          <GrantTable
            grants={found.body.data}
            caption={title}
            names={names}
            without="recipient"
            isOld={state !== "found"}
          />
          <Pager
            total={found.body.total}
            limit={found.body.limit}
            offset={found.body.offset}
            hrefOf={(offset) =>
              pageHref("recipient", { ein, ...(offset === 0 ? {} : { offset: String(offset) }) })
            }
            onGo={(href) =>
              onPage(formatQuery(Object.fromEntries(new URL(href, location.href).searchParams)))
            }
          />
        </>
      )}
      {isNarrow ? callBar : null}
    </section>
  );
}
