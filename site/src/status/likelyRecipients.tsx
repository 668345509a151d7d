// Shows how many grants without an EIN have a likely recipient, and how right each rule is that finds them.

import type { MatchFacts, RuleFigures } from "../../../api-static/contract/matches.ts";
import {
  type DisagreementClass,
  disagreementClasses,
  matchRules,
} from "../../../api-static/contract/matchRules.ts";
import { Bar } from "../charts/bar.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/section.tsx";
import { formatCount, formatCounted, formatFineShare } from "../text/numbers.ts";
import { rank, wrongAtMost } from "./phrases.ts";

/** The section; a release without likely recipients says why. */
export function LikelyRecipients({ facts }: { facts: MatchFacts }) {
  const { without_ein, matched, recall, rules, why } = facts;
  const lows = rules.flatMap(({ served, precision: { low } }) => (served && low !== null ? [low] : []));
  return (
    <Section title="Likely recipients">
      <p>
        {matched === 0 ? (
          "No grant of this release has a likely recipient. "
        ) : (
          <>
            Of {formatCounted(without_ein, "grant")} that name a recipient but no EIN, {formatCount(matched)}{" "}
            ({formatFineShare(matched / without_ein, 1)}) have a likely one, found by rules.{" "}
            {lows.length === 0 ? null : (
              <b>Of 1,000 such matches, at most {formatCount(wrongAtMost(Math.min(...lows)))} are wrong.</b>
            )}{" "}
          </>
        )}
        {sayWhy(why)}
      </p>
      {rules.length === 0 ? null : (
        <>
          <p>
            Each sync tries the rules on recipients whose EIN was filed, without showing it to them
            {recall.share === null
              ? "."
              : `: they found the EIN of ${formatFineShare(recall.share, 1)} of those with a place.`}{" "}
            A rule is used only if it is proven to be right in at least 99% of cases.
          </p>
          <Rules rules={rules} />
          <Disagreements rules={rules} />
        </>
      )}
    </Section>
  );
}

const heads = ["Grants found", "Right", "Agrees with filed EIN", "Share of EINs found"] as const;

/** The rules, surest first; on phones each is a card. */
function Rules({ rules }: Pick<MatchFacts, "rules">) {
  return (
    <table class="table rules" role="table">
      <caption class="hidden">Rules that find likely recipients, surest first</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">
            Rule
          </th>
          {heads.map((head) => (
            <th key={head} scope="col" role="columnheader" class="is-number">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rules.map((figures) => (
          <Rule key={figures.rule} figures={figures} />
        ))}
      </tbody>
    </table>
  );
}

function Rule({ figures }: { figures: RuleFigures }) {
  const { rule, served, why, records, precision, agreement, recall } = figures;
  const { low, high } = precision;
  const isCompared = low !== null && high !== null;
  const cells = [
    [formatCount(records), undefined],
    [
      formatPart(precision.share),
      isCompared ? `${formatFineShare(low, 2)} to ${formatFineShare(high, 2)}` : undefined,
    ],
    [formatPart(agreement.share), `of ${formatCount(agreement.compared)}`],
    [formatPart(recall), undefined],
  ] as const;
  return (
    <tr role="row" class={served ? "" : "is-unused"}>
      <th scope="row" role="rowheader">
        {matchRules[rule]}
        {served && low !== null ? (
          <small>Of 1,000 matches, at most {formatCount(wrongAtMost(low))} are wrong.</small>
        ) : null}
        {served ? null : (
          <small class="unused">
            <Icon name="close" /> Not used. {sayWhy(why)}
          </small>
        )}
      </th>
      {cells.map(([text, note], index) => (
        <td key={heads[index]} role="cell" class={`is-number${text === "–" ? " is-missing" : ""}`}>
          <span class="unit">{heads[index]} </span>
          {text}
          {note === undefined ? null : <small>{note}</small>}
        </td>
      ))}
    </tr>
  );
}

/** A share; a dash if nothing was compared. */
function formatPart(share: number | null): string {
  return share === null ? "–" : formatFineShare(share, 2);
}

/** Why the rules named another EIN than the filed one, the most frequent kind first. */
function Disagreements({ rules }: Pick<MatchFacts, "rules">) {
  const kinds = Object.keys(disagreementClasses) as DisagreementClass[];
  const sums = Object.fromEntries(
    kinds.map((kind) => [kind, rules.reduce((sum, { disagreements }) => sum + disagreements[kind], 0)]),
  ) as Record<DisagreementClass, number>;
  const ranked = rank(sums, disagreementClasses).filter(({ count }) => count > 0);
  const most = Math.max(1, ...ranked.map(({ count }) => count));
  return (
    <>
      <p class="section-note">
        “Right” compares with EINs that at least two funders filed for the same name and city, with its
        interval of 95% confidence. About 2% of filed EINs are wrong, so a rule that disagrees with one is not
        always at fault.
      </p>
      {ranked.length === 0 ? null : (
        <table class="table bars kinds tone-3">
          <caption>When a rule named another EIN than the filed one</caption>
          <tbody>
            {ranked.map(({ name, count }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="bar-place">
                  <Bar share={count / most} />
                </td>
                <td class="is-number">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** The reason, with percentages as the page writes them. */
function sayWhy(why: string | null): string | undefined {
  return why?.replaceAll(/(?<=\d) %/g, "%");
}
