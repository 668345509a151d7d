// Shows a list of peers: a placeholder until it arrives, then ranks or a note that there are none.
import type { ComponentChildren } from "preact";
import type { Progress } from "../api/useCall.ts";
import { type Rank, RankTable } from "../parts/rankTable.tsx";
import { Section } from "../parts/section.tsx";
import { Skeleton } from "../parts/waiting.tsx";

type Properties = {
  readonly title: string;
  readonly heads: readonly [string, string, string];
  /** Describes the list and its measure. */
  readonly note: ComponentChildren;
  /** Shown if the list is empty. */
  readonly none: string;
  readonly peers: Progress<unknown>;
  readonly ranks: readonly Rank[];
};

/** The section; nothing if the call failed. */
export function PeersSection({ title, heads, note, none, peers, ranks }: Properties) {
  if (peers.failure !== undefined || peers.state === "stopped") return null;
  if (peers.found === undefined)
    return (
      <Section title={title} note={note}>
        <Skeleton />
      </Section>
    );
  if (ranks.length === 0) return <Section title={title} note={none} children={null} />;
  return (
    <Section title={title} note={note}>
      <RankTable caption={title} heads={heads} ranks={ranks} />
    </Section>
  );
}

/** The end of a note: a link to the measure and its sources. */
export const measure = (
  <>
    Only grants with a recipient’s EIN count. <a href="/docs#peers">How it is measured</a>
  </>
);
