// Shows the ways in which filers wrote a recipient's name.
import { useMemo } from "preact/hooks";
import type { Grant } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatCount, formatCounted, newestOf } from "../text/numbers.ts";
import { findSpellings } from "./spellings.ts";
import { useFolded } from "./useFolded.tsx";

/** Spellings shown at first. */
const shownAtFirst = 6;

/** The spellings, most frequent first. @param total number of the recipient's grants */
export function WrittenWays({ grants, total }: { grants: readonly Grant[]; total: number }) {
  const spellings = useMemo(() => findSpellings(grants), [grants]);
  const [shown, button] = useFolded(spellings, shownAtFirst, "spelling", "spellings");
  if (spellings.length === 0) return null;
  const title = spellings.length === 1 ? "Written one way" : `Written ${formatCount(spellings.length)} ways`;
  const note = `${newestOf(grants.length, total)}Filers spell names as they like. All of these carry this EIN.`;
  return (
    <Section title={title} note={note}>
      <ul class="spellings" id="spellings">
        {shown.map(({ name, grants: count }) => (
          <li key={name}>
            <span>
              <FiledText text={name} />
            </span>
            <span class="note">{formatCounted(count)}</span>
          </li>
        ))}
      </ul>
      {button}
    </Section>
  );
}
