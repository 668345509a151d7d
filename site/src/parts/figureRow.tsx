// Shows a few numbers side by side, each with a label above and a note below.

export type Figure = { readonly label: string; readonly value: string; readonly note: string };

/** A row of numbers. */
export function FigureRow({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value, note }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
          <dd>{note}</dd>
        </div>
      ))}
    </dl>
  );
}
