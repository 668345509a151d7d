// Offers the API calls behind a page.
import type { CallsProperties } from "./calls.tsx";
import { Fold } from "./fold.tsx";

const load = () => import("./calls.tsx");

/** The fold of a page's calls. */
export function CallBar(properties: CallsProperties) {
  const title = properties.calls.length === 1 ? "API call behind this page" : "API calls behind this page";
  return (
    <Fold name="fold-bar call-bar" title={title} load={load}>
      {({ Calls }) => <Calls {...properties} />}
    </Fold>
  );
}
