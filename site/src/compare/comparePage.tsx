// Shows the Compare page: up to four funders side by side, and the recipients they share.
import "./compare.css";
import { useRef, useState } from "preact/hooks";
import { type Ein, hyphenateEin, parseEin } from "../../../api-static/contract/ein.ts";
import { comparedMax } from "../../../api-static/contract/limits.ts";
import { useAddress } from "../address/useAddress.ts";
import { useTitle } from "../address/useTitle.ts";
import { funderSummaryCall, funderTotalsCall } from "../api/calls.ts";
import type { Progress } from "../api/useCall.ts";
import { useNames } from "../names/useNames.ts";
import { CallBar } from "../parts/callBar.tsx";
import type { ShownCall } from "../parts/calls.tsx";
import { FailureNotice } from "../parts/failureNotice.tsx";
import { Notice } from "../parts/notice.tsx";
import { OrganizationField } from "../parts/organizationField.tsx";
import { Skeleton } from "../parts/waiting.tsx";
import { startPage } from "../shell/start.tsx";

import { type Compared, isSettled, type Slot, sharedCall, useShared, useSlot } from "./compared.ts";
import { ComparisonTable } from "./comparisonTable.tsx";
import { allYears, formatSelection, isAll, queryOf, readSelection, type Years } from "./selection.ts";
import { SharedDownload, SharedTable } from "./sharedRecipients.tsx";

/** The page. The address holds the funders and the years to compare. */
export function ComparePage() {
  const { search, go } = useAddress();
  const { eins, years, problems } = readSelection(search);
  const slots = [
    useSlot(eins[0], years),
    useSlot(eins[1], years),
    useSlot(eins[2], years),
    useSlot(eins[3], years),
  ];
  const loaded = slots.filter((slot) => slot !== undefined);
  const shared = useShared(eins, years);
  const names = useNames(eins);
  const nameOf = (ein: string) => names.nameOf(ein)?.name ?? `EIN ${hyphenateEin(ein)}`;
  const goTo = (chosen: readonly string[], of = years) =>
    go(formatSelection(chosen, chosen.length === 0 ? allYears : of));
  const remove = (ein: string) => goTo(eins.filter((other) => other !== ein));

  useTitle(
    eins.length === 0
      ? "Compare funders – Grant History"
      : `${eins.map(nameOf).join(", ")} – Compare – Grant History`,
  );

  const found = shared.state === "found" ? shared.found : undefined;
  const isComplete = names.isComplete && loaded.every(isSettled);
  const compared = loaded.flatMap(({ ein, summary, totals }) =>
    summary && totals ? [{ ein, summary, totals }] : [],
  );
  const comparison = useComplete({ loaded, compared, years }, isComplete);
  const answers = eins.length > 1 ? [...loaded, { release: found?.release }] : loaded;
  const savable = found !== undefined && found.body.total > 0 ? found.release : undefined;
  return (
    <div class="wide stack compare-page">
      <div>
        <div class="heading-row">
          <div>
            <h1>Compare funders</h1>
            <p class="section-note">Up to four. The address of this page holds your selection.</p>
          </div>
          {eins.length < 2 ? null : <SharedDownload eins={eins} years={years} release={savable} />}
        </div>
        {problems.map((problem) => (
          <p key={problem} class="field-error" role="alert">
            {problem}
          </p>
        ))}
      </div>
      {eins.length < comparedMax ? <AddFunder taken={eins} onAdd={(ein) => goTo([...eins, ein])} /> : null}
      {comparison === undefined ? (
        <Skeleton />
      ) : (
        <div
          key={comparison.loaded.map(({ ein }) => ein).join()} // other funders make another table, whose columns do not move
          class={isComplete ? "" : "is-old"}
          aria-busy={!isComplete}
        >
          <Comparison
            {...comparison}
            names={{ nameOf, names }}
            onRemove={remove}
            onYears={(of) => goTo(eins, of)}
          />
        </div>
      )}
      {isComplete ? <SlotFailures slots={loaded} shared={shared} onRemove={remove} /> : null}
      {eins.length === 0 || comparison === undefined ? null : (
        <CallBar calls={callsOf(eins, years)} release={releaseOf(answers)} />
      )}
      {found !== undefined && compared.length > 1 && isComplete ? (
        <SharedTable shared={found.body} compared={compared} years={years} nameOf={nameOf} />
      ) : null}
    </div>
  );
}

/** The last value that was complete: the parts of a comparison are shown together, and the one before stays until then. */
function useComplete<Value>(value: Value, isComplete: boolean): Value | undefined {
  const last = useRef<Value>(undefined);
  if (isComplete) last.current = value;
  return last.current;
}

type ComparisonProperties = {
  readonly loaded: readonly Slot[];
  readonly compared: readonly Compared[];
  readonly years: Years;
  readonly names: { nameOf: (ein: string) => string; names: ReturnType<typeof useNames> };
  readonly onRemove: (ein: string) => void;
  readonly onYears: (years: Years) => void;
};

/** The table; a slot that failed keeps its column. */
function Comparison({ loaded, names, ...properties }: ComparisonProperties) {
  if (loaded.length === 0)
    return (
      <Notice title="Choose two funders or more">
        Their totals, years and sizes stand side by side, and the recipients that they share below.
      </Notice>
    );
  if (loaded.every(({ failure }) => failure !== undefined)) return null;
  return <ComparisonTable columns={loaded} {...properties} {...names} />;
}

function callsOf(eins: readonly string[], years: Years): ShownCall[] {
  return [
    ...eins.map((ein) => ({ href: funderSummaryCall(ein).href, use: "totals and charts" })),
    ...(isAll(years)
      ? []
      : eins.map((ein) => ({ href: funderTotalsCall(ein, queryOf(years)).href, use: "of these years" }))),
    ...(eins.length > 1 ? [{ href: sharedCall(eins, years).href, use: "shared recipients" }] : []),
  ];
}

/** The release of all answers; undefined until they arrive, or if they come from different releases. */
function releaseOf(loaded: readonly Pick<Slot, "release">[]): string | undefined {
  const [release, ...others] = new Set(loaded.map(({ release }) => release));
  return others.length === 0 ? release : undefined;
}

type AddProperties = { readonly taken: readonly Ein[]; readonly onAdd: (ein: Ein) => void };

/** The form of an empty slot. */
function AddFunder({ taken, onAdd }: AddProperties) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const { hasNames } = useNames([]);
  const add = (typed: string) => {
    const ein = parseEin(typed.trim());
    if (ein === undefined) return setProblem("An EIN has nine digits, for example 13-1635294.");
    if (taken.includes(ein)) return setProblem("This funder is already here.");
    setText("");
    setProblem(undefined);
    onAdd(ein);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    add(text);
  };
  return (
    <form class="add-funder" onSubmit={submit}>
      <OrganizationField
        id="add"
        side="funder"
        label={`Add a funder: ${hasNames ? "name or EIN" : "EIN"}`}
        text={text}
        onText={setText}
        onEin={add}
        problem={problem}
      />
      <button class="button" type="submit">
        Add
      </button>
    </form>
  );
}

type FailuresProperties = {
  readonly slots: readonly Slot[];
  readonly shared: Progress<unknown>;
  readonly onRemove: (ein: string) => void;
};

/** A notice for each EIN without grants made, and one for all calls that failed alike. */
function SlotFailures({ slots, shared, onRemove }: FailuresProperties) {
  const missing = slots.filter(({ failure }) => failure?.code === "funder_not_found");
  const others = Map.groupBy(
    [...slots.filter((slot) => !missing.includes(slot)), shared].filter(
      ({ failure }) => failure !== undefined,
    ),
    ({ failure }) => failure?.code,
  );
  return (
    <>
      {missing.map(({ ein }) => (
        <Notice
          key={ein}
          title={`No grants made by EIN ${hyphenateEin(ein)}`}
          button="Remove it"
          onButton={() => onRemove(ein)}
        >
          It may appear as a recipient: <a href={`/recipient?ein=${ein}`}>grants received</a>.
        </Notice>
      ))}
      {[...others].map(([code, alike]) => (
        <FailureNotice
          key={code}
          progress={{
            failure: alike[0]?.failure,
            found: undefined,
            state: "failed",
            retryIn: undefined,
            retry: () => {
              for (const { retry } of alike) retry();
            },
            stop: () => undefined,
          }}
        />
      ))}
    </>
  );
}

startPage(ComparePage);
