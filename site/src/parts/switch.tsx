// Shows a switch: a few choices side by side. One is chosen.

type Properties<Choice extends string> = {
  /** The label of the choice, for screen readers. */
  readonly legend: string;
  /** Unique among the switches of a page. */
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
};

/** The switch. */
export function Switch<Choice extends string>({
  legend,
  name,
  choices,
  chosen,
  onChoose,
}: Properties<Choice>) {
  return (
    <fieldset class="switch">
      <legend class="hidden">{legend}</legend>
      {choices.map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={chosen === each} onChange={() => onChoose(each)} />
          {each}
        </label>
      ))}
    </fieldset>
  );
}
