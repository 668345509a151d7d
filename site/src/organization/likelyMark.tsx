// Marks a likely grant; opened, the mark says by which rule and with what evidence it was found.
import { matchRules } from "../../../api-static/contract/answers/matchRules.ts";
import type { Match } from "../api/client.ts";
import { Icon } from "../parts/icon.tsx";
import { formatFineShare } from "../text/numbers.ts";

/** The mark, which opens. */
export function LikelyMark({ match }: { match: Match }) {
  return (
    <details class="likely-mark">
      <summary>
        <Icon name="likely" /> Likely<span class="hidden">: why</span>
      </summary>
      <p>
        {matchRules[match.match_rule]} {match.match_evidence} {describeScore(match)}
      </p>
    </details>
  );
}

/** How right the rule is; a person's verdict has no share. */
function describeScore({ match_rule, match_score }: Match): string {
  if (match_rule === "operator") return "";
  return `At least ${formatFineShare(match_score, 1)} of the matches of this rule are right.`;
}
