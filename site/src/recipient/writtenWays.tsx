// Shows the ways in which filers wrote a recipient's name.
import { useMemo, useState } from "preact/hooks";
import type { Grant } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatCount, formatCounted } from "../text/numbers.ts";
import { newestOf } from "./newest.ts";
import { findSpellings } from "./spellings.ts";

/** As many are shown at first. */
const shownAtFirst = 6;

/** The spellings, most frequent first. @param total how many grants the recipient has in all */
export function WrittenWays({ grants, total }: { grants: readonly Grant[]; total: number }) {
  const spellings = useMemo(() => findSpellings(grants), [grants]);
  const [isOpen, setIsOpen] = useState(false);
  const more = spellings.length - shownAtFirst;
  if (spellings.length === 0) return null;
  const title = spellings.length === 1 ? "Written one way" : `Written ${formatCount(spellings.length)} ways`;
  const note = `${newestOf(grants.length, total)}Filers spell names as they like. All of these carry this EIN.`;
  return (
    <Section title={title} note={note}>
      <ul class="spellings" id="spellings">
        {(isOpen ? spellings : spellings.slice(0, shownAtFirst)).map(({ name, grants: count }) => (
          <li key={name}>
            <span>
              <FiledText text={name} />
            </span>
            <span class="note">{formatCounted(count)}</span>
          </li>
        ))}
      </ul>
      {more <= 0 ? null : (
        <button
          type="button"
          class="link-button spellings-more"
          aria-controls="spellings"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Show fewer spellings" : `Show ${formatCounted(more, "more spelling")}`}
        </button>
      )}
    </Section>
  );
}
