// Shows what is wrong with an address, where no field can show it.
import type { ComponentChildren } from "preact";
import type { Problem } from "../../../api-static/contract/errors.ts";
import { formatQuery, type Query, without } from "../address/query.ts";
import { Notice } from "../parts/notice.tsx";
import { explain } from "./fields.ts";

type Properties = {
  readonly query: Query;
  readonly problems: readonly Problem[];
  /** The filters, where they are folded. */
  readonly children: ComponentChildren;
};

/** The problems of an address, and a link to the search without the parameters that have them. */
export function Problems({ query, problems, children }: Properties) {
  const rest = without(query, ...problems.map(({ parameter }) => parameter));
  const isEmpty = Object.keys(rest).length === 0;
  return (
    <div class="results">
      <h1 class="result-heading" id="result" tabIndex={-1}>
        This search can’t be run
      </h1>
      {children}
      <Notice
        tone="error"
        title={problems.length === 1 ? "One problem in the address" : "Problems in the address"}
      >
        <ul>
          {problems.map((problem) => (
            <li key={problem.parameter}>
              <code>{problem.parameter}</code> {afterName(problem, query)}
            </li>
          ))}
        </ul>
        <a class="button" href={`/${formatQuery(rest)}`}>
          {isEmpty ? "Start a new search" : "Search without it"}
        </a>
      </Notice>
    </div>
  );
}

/** What is wrong, after the parameter's name: the API's messages start with it. */
function afterName(problem: Problem, query: Query): string {
  const message = explain(problem, query[problem.parameter] ?? "");
  const start = `${problem.parameter} `;
  return message.startsWith(start) ? message.slice(start.length) : `– ${message}`;
}
