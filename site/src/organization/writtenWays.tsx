// Shows the ways in which filers wrote a recipient's name.
import { useMemo } from "preact/hooks";
import type { Grant } from "../api/client.ts";
import { FiledText } from "../parts/filedText.tsx";
import { Section } from "../parts/section.tsx";
import { formatCount, formatCounted, newestOf } from "../text/numbers.ts";
import { countSpellings } from "./spellings.ts";
import { useFolded } from "./useFolded.tsx";

/** Spellings shown at first. */
const shownAtFirst = 6;

type Properties = {
  readonly ein: string;
  /** Filed ones, and likely ones if they are shown. */
  readonly grants: readonly Grant[];
  /** Number of the recipient's grants. */
  readonly total: number;
};

/** The spellings, most frequent first; those of likely grants are counted apart. */
export function WrittenWays({ ein, grants, total }: Properties) {
  const spellings = useMemo(() => {
    const isFiled = ({ recipient_ein }: Grant) => recipient_ein === ein;
    return countSpellings(
      grants.filter(isFiled),
      grants.filter((grant) => !isFiled(grant)),
    );
  }, [ein, grants]);
  const [shown, button] = useFolded(spellings, shownAtFirst, "spelling", "spellings");
  if (spellings.length === 0) return null;
  const title = spellings.length === 1 ? "Written one way" : `Written ${formatCount(spellings.length)} ways`;
  const carried = spellings.some(({ likely }) => likely > 0)
    ? "Those that are not likely carry this EIN."
    : "All of these carry this EIN.";
  const note = `${newestOf(grants.length, total)}Filers spell names as they like. ${carried}`;
  return (
    <Section title={title} note={note}>
      <ul class="spellings" id="spellings">
        {shown.map(({ name, grants: count, likely }) => (
          <li key={name}>
            <span>
              <FiledText text={name} />
            </span>
            <span class="note">
              {count === 0 ? null : formatCounted(count)}
              {likely === 0 ? null : (
                <span class="likely-sum">
                  {count === 0 ? "" : "+ "}
                  {formatCount(likely)} likely
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      {button}
    </Section>
  );
}
