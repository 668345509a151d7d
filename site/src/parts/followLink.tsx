// Links to the feed of the grants that are shown, and names it in the page's head, where readers of feeds look for it.
import { useEffect } from "preact/hooks";
import { formatQuery, type Query, without } from "../address/query.ts";
import { Icon } from "./icon.tsx";

type Properties = {
  /** The path of the list that is followed, e.g., "/v1/history". */
  readonly path: string;
  /** The filters of the list. */
  readonly query: Query;
};

/** What a feed has no use for: it has one order and one page. */
const others = ["sort", "limit", "offset"];

export function FollowLink({ path, query }: Properties) {
  const parameters = formatQuery(without(query, ...others));
  const atom = `${path}.atom${parameters}`;
  const json = `${path}.feed.json${parameters}`;
  useEffect(() => announce(atom, json), [atom, json]);
  return (
    <a class="button follow" href={atom} type="application/atom+xml">
      <Icon name="follow" /> Follow<span class="hidden"> new grants in a feed reader</span>
    </a>
  );
}

/** Adds the feed to the head; returns what removes it. */
function announce(atom: string, json: string): () => void {
  const added = [
    ["application/atom+xml", "New grants (Atom)", atom],
    ["application/feed+json", "New grants (JSON Feed)", json],
  ].map(([type = "", title = "", href = ""]) =>
    Object.assign(document.createElement("link"), { rel: "alternate", type, title, href }),
  );
  document.head.append(...added);
  return () => {
    for (const link of added) link.remove();
  };
}
