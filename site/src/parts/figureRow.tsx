// Shows a few numbers side by side, each with a label above and a note below.

export type Figure = {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** The page that has what is counted. */
  readonly href?: string | undefined;
};

/** A row of numbers. */
export function FigureRow({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value, note, href }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{href === undefined ? value : <a href={href}>{value}</a>}</dd>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  );
}
