// Shows the Compare page: up to four funders side by side, and the recipients they share.
import { useAddress } from "../address/useAddress.ts";
import { funderSummaryCall } from "../api/calls.ts";
import { useNames } from "../names/useNames.ts";
import { CallBar, type ShownCall } from "../parts/callBar.tsx";
import { Notice } from "../parts/notice.tsx";
import { useTitle } from "../shell/useTitle.ts";
import { formatEinText } from "../text/numbers.ts";
import { AddFunder } from "./addFunder.tsx";
import { type Compared, findShared } from "./compared.ts";
import { ComparisonTable } from "./comparisonTable.tsx";
import { formatSelection, readSelection, slots } from "./selection.ts";
import { formatPart } from "./sentences.ts";
import { SharedDownload } from "./sharedDownload.tsx";
import { SharedTable } from "./sharedTable.tsx";
import { SlotFailures } from "./slotFailures.tsx";
import { grantsCall, isSettled, type Slot, useCompared } from "./useCompared.ts";

/** The page. The address holds the funders and, if there is one, the only year to compare. */
export function ComparePage() {
  const { search, go } = useAddress();
  const { eins, year, problems } = readSelection(search);
  const loaded = [
    useCompared(eins[0], year),
    useCompared(eins[1], year),
    useCompared(eins[2], year),
    useCompared(eins[3], year),
  ].filter((slot) => slot !== undefined);
  const names = useNames(eins);
  const nameOf = (ein: string) => names.nameOf(ein)?.name ?? `EIN ${formatEinText(ein)}`;
  const goTo = (chosen: readonly string[], of = year) =>
    go(formatSelection(chosen, chosen.length === 0 ? undefined : of));
  const remove = (ein: string) => goTo(eins.filter((other) => other !== ein));

  useTitle(
    eins.length === 0
      ? "Compare funders – Grant History"
      : `${eins.map(nameOf).join(", ")} – Compare – Grant History`,
  );

  const compared = loaded.flatMap((slot) => slot.compared ?? []);
  const shared = findShared(compared.map(({ grants }) => grants));
  return (
    <div class="wide stack compare-page">
      <div>
        <div class="heading-row">
          <div>
            <h1>Compare funders</h1>
            <p class="section-note">Up to four. The address of this page holds your selection.</p>
          </div>
          {eins.length < 2 ? null : <SharedDownload shared={shared} compared={compared} nameOf={nameOf} />}
        </div>
        {problems.map((problem) => (
          <p key={problem} class="field-error" role="alert">
            {problem}
          </p>
        ))}
      </div>
      <Slots
        loaded={loaded}
        names={{ nameOf, names }}
        year={year}
        onRemove={remove}
        onYear={(of) => goTo(eins, of)}
      />
      {eins.length < slots ? <AddFunder taken={eins} onAdd={(ein) => goTo([...eins, ein])} /> : null}
      {eins.length === 0 ? null : <CallBar calls={callsOf(eins, year)} release={releaseOf(loaded)} />}
      {compared.length > 1 && loaded.every(isSettled) ? (
        <SharedTable shared={shared} compared={compared} year={year} nameOf={nameOf} />
      ) : null}
      <Parts compared={compared} nameOf={nameOf} />
    </div>
  );
}

type SlotsProperties = {
  readonly loaded: readonly Slot[];
  readonly names: { nameOf: (ein: string) => string; names: ReturnType<typeof useNames> };
  readonly year: number | undefined;
  readonly onRemove: (ein: string) => void;
  readonly onYear: (year: number | undefined) => void;
};

function Slots({ loaded, names, year, onRemove, onYear }: SlotsProperties) {
  // A slot that failed keeps its column, so that the others do not move.
  const columns = loaded.every(({ failure }) => failure !== undefined) ? [] : loaded;
  return (
    <>
      {columns.length === 0 ? null : (
        <ComparisonTable columns={columns} year={year} onRemove={onRemove} onYear={onYear} {...names} />
      )}
      <SlotFailures slots={loaded} onRemove={onRemove} />
      {loaded.length === 0 ? (
        <Notice title="Choose two funders or more">
          <p>Their totals, years and sizes stand side by side, and the recipients that they share below.</p>
        </Notice>
      ) : null}
    </>
  );
}

/** Names the funders that have more grants than the page has read. */
function Parts({ compared, nameOf }: { compared: readonly Compared[]; nameOf: (ein: string) => string }) {
  const partial = compared.filter(({ grants, total }) => grants.length < total);
  return partial.length === 0 ? null : (
    <p class="note">
      {partial.map(({ ein, grants, total }) => formatPart(grants.length, total, nameOf(ein))).join(" ")}{" "}
      Recipients of older grants are missing from the list of shared recipients.
    </p>
  );
}

function callsOf(eins: readonly string[], year: number | undefined): ShownCall[] {
  return eins.flatMap((ein) => [
    { href: funderSummaryCall(ein).href, use: "totals and charts" },
    { href: grantsCall(ein, year, 0).href, use: "shared recipients" },
  ]);
}

/** The release of all answers; undefined until they arrive, or if they come from different releases. */
function releaseOf(loaded: readonly Slot[]): string | undefined {
  const [release, ...others] = new Set(loaded.map((slot) => slot.release));
  return others.length === 0 ? release : undefined;
}
