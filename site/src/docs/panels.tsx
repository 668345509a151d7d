// Shows an example request and its answer; with a script the request can be copied and run.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "../parts/copyButton.tsx";
import { formatCall } from "../text/calls.ts";
import { formatCount } from "../text/numbers.ts";
import { layOut } from "./json.ts";
import { type Eins, exampleEins, type RunAnswer, run, withEins } from "./run.ts";

/** The host of examples where there is no script that knows the real one. */
export const exampleOrigin = "https://grants.example.org";

type Properties = {
  /** Path and query. */
  readonly request: string;
  /** The text of the example's answer. */
  readonly answer: string;
  /** Finds EINs that the release has; undefined while the page is rendered without a script. */
  readonly findEins?: (() => Promise<Eins>) | undefined;
};

type Result = RunAnswer | "running" | "offline" | "static copy";

const forms = ["URL", "curl", "fetch"] as const;

/** Both panels of an operation. */
export function Panels({ request, answer, findEins }: Properties) {
  const [form, setForm] = useState<(typeof forms)[number]>("curl");
  const [eins, setEins] = useState<Eins>(exampleEins);
  const [result, setResult] = useState<Result>();
  const href = withEins(request, eins);
  const isLive = findEins !== undefined;
  const call = formatCall(form, (isLive ? location.origin : exampleOrigin) + href);
  const start = async () => {
    setResult("running");
    try {
      const real = await findEins?.();
      if (real !== undefined) setEins(real);
      setResult((await run(withEins(request, real ?? eins))) ?? "static copy");
    } catch {
      setResult("offline");
    }
  };
  const real = typeof result === "object" ? result : undefined;
  return (
    <>
      <Panel title="Request" name={`Request: ${request}`} code={<Colored call={call} isLive={isLive} />}>
        {isLive ? (
          <>
            <fieldset class="switch">
              <legend class="hidden">Show as</legend>
              {forms.map((each) => (
                <label key={each}>
                  <input type="radio" name={request} checked={form === each} onChange={() => setForm(each)} />
                  {each}
                </label>
              ))}
            </fieldset>
            <CopyButton text={() => call} />
          </>
        ) : null}
      </Panel>
      <Panel
        title={real === undefined ? "Example answer" : "Answer"}
        name={`Answer to ${request}`}
        isAnswer
        code={
          isLive && (real?.isJson ?? /^[[{]/.test(answer)) ? (
            <Json text={real?.text ?? answer} />
          ) : (
            (real?.text ?? answer)
          )
        }
      >
        {isLive ? (
          <>
            <span class="note" role="status">
              {describe(result)}
            </span>
            <button type="button" class="button" disabled={result === "running"} onClick={start}>
              {result === undefined ? "Run" : "Run again"}
            </button>
          </>
        ) : null}
      </Panel>
    </>
  );
}

function describe(result: Result | undefined): string {
  if (result === undefined) return "";
  if (result === "running") return "Asking…";
  if (result === "static copy") return "No answer: this is a static copy";
  if (result === "offline") return "No answer: you’re offline";
  const size = `${formatCount(result.bytes)} bytes`;
  return `${result.status} · ${result.isCut ? `first ${size}` : size}`;
}

type PanelProperties = {
  title: string;
  name: string;
  isAnswer?: boolean;
  code: ComponentChildren;
  children?: ComponentChildren;
};

/** A panel of code with a title and controls. */
export function Panel({ title, name, isAnswer = false, code, children }: PanelProperties) {
  return (
    <div class="code-panel" role="group" aria-label={name}>
      <div class="code-head">
        <b>{title}</b>
        {children}
      </div>
      <pre class={isAnswer ? "answer" : undefined} tabIndex={isAnswer ? 0 : undefined}>
        {code}
      </pre>
    </div>
  );
}

/** A call with the parameters of its query in color. */
function Colored({ call, isLive }: { call: string; isLive: boolean }) {
  if (!isLive) return <>{call}</>;
  const pieces = call.split(/([?&])([a-z_]+)=([^&'"]*)/);
  return (
    <>
      {pieces.map((piece, index) => {
        if (index % 4 === 2) return <span class="code-name">{piece}</span>;
        if (index % 4 === 3) return <>={<span class="code-value">{piece}</span>}</>;
        return piece;
      })}
    </>
  );
}

const classes = { name: "code-name", text: "code-value", number: "code-number", plain: "" } as const;

/** JSON in color. */
export function Json({ text }: { text: string }) {
  return (
    <>
      {layOut(text).map(({ kind, text: token }) =>
        kind === "plain" ? token : <span class={classes[kind]}>{token}</span>,
      )}
      {text.endsWith("…") ? "\n…" : ""}
    </>
  );
}
