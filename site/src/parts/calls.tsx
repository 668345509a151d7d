// Shows the API calls behind a page, to copy as a URL, for curl, for fetch, or pinned to the release.
import { useId, useState } from "preact/hooks";
import { type CallForm, describePinned, formatAs } from "../api/callForms.ts";
import { useStatus } from "../api/useCall.ts";
import { CopyButton } from "./copy.tsx";
import { Switch } from "./switch.tsx";

/** A call: path and query, and a label if there are several. */
export type ShownCall = { readonly href: string; readonly use?: string };

export type CallsProperties = {
  readonly calls: readonly ShownCall[];
  /** The release that answered; without it there is no pinned form. */
  readonly release?: string | undefined;
};

/** The calls, a choice of their form, and a button that copies them. */
export function Calls({ calls, release }: CallsProperties) {
  const [form, setForm] = useState<CallForm>("URL");
  const name = useId();
  const status = useStatus().found?.body;
  const forms: readonly CallForm[] =
    release === undefined ? ["URL", "curl", "fetch"] : ["URL", "curl", "fetch", "Pinned"];
  const pin = (href: string) => (form === "Pinned" ? `/r/${release}${href}` : href);
  return (
    <>
      <ul class="call-lines">
        {calls.map(({ href, use }) => (
          <li key={href}>
            <ShownHref href={pin(href)} /> {use === undefined ? null : <span class="note">{use}</span>}
          </li>
        ))}
        {form === "Pinned" ? <li class="note">{describePinned(release, status)}</li> : null}
      </ul>
      <div class="call-forms">
        <Switch legend="Copy as" name={name} choices={forms} chosen={form} onChoose={setForm} />
        <CopyButton
          text={() =>
            calls.map(({ href }) => formatAs(form, new URL(pin(href), location.origin).href)).join("\n")
          }
        />
      </div>
    </>
  );
}

/** A path and query with its parameters in color. */
function ShownHref({ href }: { href: string }) {
  const [path, query] = href.split("?");
  return (
    <code>
      <span class="code-quiet">GET</span> {path}
      {query?.split("&").map((pair, index) => {
        const [parameter, value = ""] = pair.split("=");
        return (
          <span key={parameter}>
            <wbr />
            {index === 0 ? "?" : "&"}
            <span class="code-name">{parameter}</span>=<span class="code-value">{value}</span>
          </span>
        );
      })}
    </code>
  );
}
