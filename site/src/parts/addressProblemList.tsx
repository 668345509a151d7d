// Shows the problems of an address that no field can show.
import type { Problem } from "../../../api-static/contract/errors.ts";
import type { Query } from "../address/query.ts";
import { explain } from "../text/problems.ts";
import { NoticeBox } from "./notice.tsx";

export type AddressProblemsProperties = {
  readonly query: Query;
  readonly problems: readonly Problem[];
  /** The address without the invalid parameters. */
  readonly href: string;
  readonly link: string;
};

/** The notice. */
export function AddressProblemList({ query, problems, href, link }: AddressProblemsProperties) {
  const title = problems.length === 1 ? "One problem in the address" : "Problems in the address";
  return (
    <NoticeBox tone="error" title={title}>
      <ul>
        {problems.map((problem) => (
          <li key={problem.parameter}>
            <code>{problem.parameter}</code> {afterName(problem, query)}
          </li>
        ))}
      </ul>
      <a class="button" href={href}>
        {link}
      </a>
    </NoticeBox>
  );
}

/** The problem without the parameter's name, with which the API's messages start. */
function afterName(problem: Problem, query: Query): string {
  const message = explain(problem, query[problem.parameter] ?? "");
  const start = `${problem.parameter} `;
  return message.startsWith(start) ? message.slice(start.length) : `– ${message}`;
}
