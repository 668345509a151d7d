// Shows an example request and its answer; a script lets people copy and run the request.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatAs } from "../api/callForms.ts";
import { searchCall } from "../api/calls.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Switch } from "../parts/switch.tsx";
import { formatCount } from "../text/numbers.ts";
import { layOut } from "./json.ts";
import { type Eins, exampleEins, pickEins, type RunAnswer, run, withEins } from "./run.ts";

type Properties = {
  /** Path and query. */
  readonly request: string;
  /** The text of the example's answer; without it, only the request is shown. */
  readonly answer: string | undefined;
  /** The host that the request names. */
  readonly origin: string;
  /** True for a script's panels: they have the controls that need one. */
  readonly isLive?: boolean;
};

type Result = RunAnswer | "running" | "offline" | "static copy";

const forms = ["URL", "curl", "fetch"] as const;

/** The panels of an operation. */
export function Panels({ request, answer, origin, isLive = false }: Properties) {
  const [form, setForm] = useState<(typeof forms)[number]>("curl");
  const [eins, setEins] = useState<Eins>(exampleEins);
  const [result, setResult] = useState<Result>();
  const call = formatAs(form, origin + withEins(request, eins));
  const start = async () => {
    setResult("running");
    try {
      const real = await findEins();
      setEins(real);
      setResult((await run(withEins(request, real))) ?? "static copy");
    } catch {
      setResult("offline");
    }
  };
  return (
    <>
      <Panel title="Request" name={`Request: ${request}`} code={<Colored call={call} />}>
        {isLive ? (
          <>
            <Switch legend="Show as" name={request} choices={forms} chosen={form} onChoose={setForm} />
            <CopyButton text={() => call} />
          </>
        ) : null}
      </Panel>
      {answer === undefined ? null : (
        <Panel
          title={typeof result === "object" ? "Answer" : "Example answer"}
          name={`Answer to ${request}`}
          isAnswer
          code={codeOf(typeof result === "object" ? result : { text: answer, isJson: /^[[{]/.test(answer) })}
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
      )}
    </>
  );
}

function codeOf({ text, isJson }: Pick<RunAnswer, "text" | "isJson">): ComponentChildren {
  return isJson ? <Json text={text} /> : text;
}

let found: Promise<Eins> | undefined;

/** EINs that the release has; asked for once, by the first run. */
function findEins(): Promise<Eins> {
  found ??= searchCall({})
    .ask()
    .then((answer) => (answer.isFound ? pickEins(answer.body.data) : exampleEins));
  return found;
}

function describe(result: Result | undefined): string {
  if (result === undefined) return "";
  if (result === "running") return "Asking…";
  if (result === "static copy") return "Static copy, no API";
  if (result === "offline") return navigator.onLine ? "The server doesn’t answer" : "You’re offline";
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
function Colored({ call }: { call: string }) {
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
