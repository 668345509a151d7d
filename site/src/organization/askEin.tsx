// Asks for an EIN: the address has none, or one that is no EIN.
import { parseEin } from "../../../api-static/contract/ein.ts";
import { Icon } from "../parts/icon.tsx";
import { cleanEin, explainEin } from "../search/fields.ts";

/** The form; it keeps what was entered. @param value the address's `ein`, if it has one */
export function AskEin({ side, value }: { side: "funder" | "recipient"; value: string | undefined }) {
  const problem =
    value === undefined || parseEin(cleanEin(value)) !== undefined ? undefined : explainEin(value);
  const name = side === "funder" ? "Funder" : "Recipient";
  return (
    <>
      <header>
        <p class="kicker">
          <Icon name={side === "funder" ? "out" : "in"} /> {name}
        </p>
        <h1>{problem === undefined ? `Which ${side}?` : "This isn’t an EIN"}</h1>
      </header>
      <form class="ask-ein" action={`/${side}`} method="get">
        <div>
          <label class="label" for="ein">
            {name} EIN
          </label>
          <input
            class="field"
            id="ein"
            name="ein"
            inputMode="numeric"
            autoComplete="off"
            required
            defaultValue={value}
            aria-invalid={problem === undefined ? undefined : "true"}
            aria-describedby={problem === undefined ? undefined : "ein-problem"}
          />
        </div>
        <button class="button button-main" type="submit">
          Show
        </button>
        {problem === undefined ? null : (
          <p class="field-error" id="ein-problem">
            {problem}
          </p>
        )}
      </form>
    </>
  );
}
