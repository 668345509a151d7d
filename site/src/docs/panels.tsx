// Shows an example request and its answer; a script lets people copy the request.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { formatAs } from "../api/callForms.ts";
import { CopyButton } from "../parts/copy.tsx";
import { Switch } from "../parts/switch.tsx";
import { layOut } from "./json.ts";

type Properties = {
  /** Path and query. */
  readonly request: string;
  /** The host that the request names. */
  readonly origin: string;
  /** True for a script's panel: it has the controls that need one. */
  readonly isLive?: boolean;
};

const forms = ["URL", "curl", "fetch"] as const;

/** The panel of a request. */
export function Request({ request, origin, isLive = false }: Properties) {
  const [form, setForm] = useState<(typeof forms)[number]>("curl");
  const call = formatAs(form, origin + request);
  return (
    <Panel title="Request" name={`Request: ${request}`} code={<Colored call={call} />}>
      {isLive ? (
        <>
          <Switch legend="Show as" name={request} choices={forms} chosen={form} onChoose={setForm} />
          <CopyButton text={() => call} />
        </>
      ) : null}
    </Panel>
  );
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
