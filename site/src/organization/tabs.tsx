// Shows the switch between the grants that an organization made and those it received.
import { pageHref } from "../api/calls.ts";
import { formatCount } from "../text/numbers.ts";

type Properties = {
  readonly ein: string;
  readonly shown: "made" | "received";
  /** Number of grants; undefined if unknown. */
  readonly made: number | undefined;
  readonly received: number | undefined;
};

/** The two tabs; one without grants is not a link. */
export function Tabs({ ein, shown, made, received }: Properties) {
  return (
    <nav class="tabs" aria-label="Grants made and received">
      <Tab href={pageHref("funder", { ein })} text="Grants made" count={made} isShown={shown === "made"} />
      <Tab
        href={pageHref("recipient", { ein })}
        text="Grants received"
        count={received}
        isShown={shown === "received"}
      />
    </nav>
  );
}

type TabProperties = { href: string; text: string; count: number | undefined; isShown: boolean };

function Tab({ href, text, count, isShown }: TabProperties) {
  const content = (
    <>
      {text} {count === undefined ? null : <span>{formatCount(count)}</span>}
    </>
  );
  if (!isShown && count === 0) return <span class="tab">{content}</span>;
  return (
    <a class="tab" href={href} aria-current={isShown ? "page" : undefined}>
      {content}
    </a>
  );
}
