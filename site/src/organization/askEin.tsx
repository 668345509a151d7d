// Asks for an EIN, because the address has no valid one.
import { parseEin } from "../../../api-static/contract/ein.ts";
import { Labeled } from "../parts/labeled.tsx";
import { cleanEin, explainEin } from "../search/fields.ts";
import { Kicker } from "./head.tsx";

/** The form; it keeps what was entered. @param value the address's `ein`, if it has one */
export function AskEin({ side, value }: { side: "funder" | "recipient"; value: string | undefined }) {
  const problem =
    value === undefined || parseEin(cleanEin(value)) !== undefined ? undefined : explainEin(value);
  const name = side === "funder" ? "Funder" : "Recipient";
  return (
    <>
      <header>
        <Kicker side={side} />
        <h1>{problem === undefined ? `Which ${side}?` : "This isn’t an EIN"}</h1>
      </header>
      <form class="ask-ein" action={`/${side}`} method="get">
        <Labeled id="ein" label={`${name} EIN`} problem={problem}>
          {(described) => (
            <input
              {...described}
              class="field"
              name="ein"
              inputMode="numeric"
              autoComplete="off"
              required
              defaultValue={value}
            />
          )}
        </Labeled>
        <button class="button button-main" type="submit">
          Show
        </button>
      </form>
    </>
  );
}
