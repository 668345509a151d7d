// Draws the hatching of likely amounts: no color alone tells them from those that were filed.
import { useId } from "preact/hooks";

/** The pattern. @param id by which shapes are filled with it */
export function LikelyPattern({ id }: { id: string }) {
  return (
    <pattern
      id={id}
      class="hatch-likely"
      width="5"
      height="5"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(-45)"
    >
      <path d="M0 0v5" />
    </pattern>
  );
}

/** Says which amounts are solid, and which are hatched. */
export function Legend() {
  const pattern = useId();
  return (
    <span class="legend">
      <span>
        <svg width="14" height="14" aria-hidden="true">
          <rect class="bar" width="14" height="14" />
        </svg>
        As filed
      </span>
      <span>
        <svg width="14" height="14" aria-hidden="true">
          <LikelyPattern id={pattern} />
          <rect class="bar-likely" x="0.5" y="0.5" width="13" height="13" fill={`url(#${pattern})`} />
        </svg>
        Likely
      </span>
    </span>
  );
}
