// Shows how many grants without an EIN have a likely recipient, and how right each rule is that finds them.

import type { MatchFacts, RuleFigures } from "../../../api-static/contract/answers/matches.ts";
import {
  type DisagreementClass,
  disagreementClasses,
  matchRules,
} from "../../../api-static/contract/answers/matchRules.ts";
import { Bar } from "../charts/bar.tsx";
import { type Column, DataTable } from "../parts/dataTable.tsx";
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

/** The rules, surest first; on phones each is a card. */
function Rules({ rules }: Pick<MatchFacts, "rules">) {
  return (
    <DataTable
      name="cards rules"
      caption="Rules that find likely recipients, surest first"
      rows={rules}
      keyOf={({ rule }) => rule}
      rowName={({ served }) => (served ? "" : "is-unused")}
      columns={[
        { head: "Rule", cell: (figures) => <Rule figures={figures} /> },
        numberOf("Grants found", ({ records }) => [formatCount(records)]),
        numberOf("Right", ({ precision: { share, low, high } }) => [
          formatPart(share),
          low === null || high === null
            ? undefined
            : `${formatFineShare(low, 2)} to ${formatFineShare(high, 2)}`,
        ]),
        numberOf("Agrees with filed EIN", ({ agreement: { share, compared } }) => [
          formatPart(share),
          `of ${formatCount(compared)}`,
        ]),
        numberOf("Share of EINs found", ({ recall }) => [formatPart(recall)]),
      ]}
    />
  );
}

/** The column of a number and a note. On phones its head stands beside it. */
function numberOf(
  head: string,
  read: (figures: RuleFigures) => readonly [text: string, note?: string | undefined],
): Column<RuleFigures> {
  return {
    head,
    name: "is-number",
    mark: (figures) => (read(figures)[0] === "–" ? { class: "is-missing" } : {}),
    cell: (figures) => {
      const [text, note] = read(figures);
      return (
        <>
          <span class="unit">{head} </span>
          {text}
          {note === undefined ? null : <small>{note}</small>}
        </>
      );
    },
  };
}

/** What a rule compares, and its errors, or why it is not used. */
function Rule({ figures: { rule, served, why, precision } }: { figures: RuleFigures }) {
  const { low } = precision;
  return (
    <>
      {matchRules[rule]}
      {served && low !== null ? (
        <small>Of 1,000 matches, at most {formatCount(wrongAtMost(low))} are wrong.</small>
      ) : null}
      {served ? null : (
        <small class="unused">
          <Icon name="close" /> Not used. {sayWhy(why)}
        </small>
      )}
    </>
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
        <DataTable
          name="bars kinds tone-3"
          caption="When a rule named another EIN than the filed one"
          isTitled
          rows={ranked}
          keyOf={({ name }) => name}
          columns={[
            { cell: ({ name }) => name },
            { name: "bar-place", cell: ({ count }) => <Bar share={count / most} /> },
            { name: "is-number", cell: ({ count }) => formatCount(count) },
          ]}
        />
      )}
    </>
  );
}

/** The reason, with percentages as the page writes them. */
function sayWhy(why: string | null): string | undefined {
  return why?.replaceAll(/(?<=\d) %/g, "%");
}
