// Offers the API calls behind a page. Nothing is loaded before the reader asks for them.
import { useState } from "preact/hooks";
import type { CallsProperties } from "./calls.tsx";
import { useLoaded } from "./useLoaded.ts";

/** The fold of a page's calls. */
export function CallBar(properties: CallsProperties) {
  const [isOpen, setIsOpen] = useState(false);
  const part = useLoaded(isOpen, () => import("./calls.tsx"));
  return (
    <details class="call-bar" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {properties.calls.length === 1 ? "API call behind this page" : "API calls behind this page"}
      </summary>
      {part === undefined ? null : <part.Calls {...properties} />}
    </details>
  );
}
