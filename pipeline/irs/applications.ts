// Reads what a return of a private foundation says about applications for grants, without how to reach a person.
import type { Collected } from "./collector.ts";
import { isChecked } from "./values.ts";

/** What Form 990-PF says about applications. Texts are as filed; null if the return does not state them. */
export type Applications = {
  /** `no` if it gives only to organizations that it selects, `yes` if it says how to apply. */
  readonly accepts: "yes" | "no" | null;
  readonly applicationForm: string | null;
  readonly deadlines: string | null;
  readonly restrictions: string | null;
};

/** An e-mail address, or a telephone number of seven, ten or eleven digits, or with the code of a country. */
const contact = /@|(?<!\d)(?:1[\s.-]*)?(?:\(?\d{3}\)?[\s./-]*)?\d{3}[\s.-]*\d{4}(?!\d)|\+\d/;

/** The text; null if it has an e-mail address or a telephone number, beside which a person's name may stand. */
function withoutContact(text: string | undefined): string | null {
  return text === undefined || contact.test(text) ? null : text || null;
}

/** Reads the values of a return. If it says both that it selects organizations and how to apply, it takes no applications. */
export function readApplications(values: Collected["values"]): Applications {
  const isFiled = values.applications !== undefined;
  return {
    accepts: isChecked(values.preselected) ? "no" : isFiled ? "yes" : null,
    applicationForm: withoutContact(values.applicationForm),
    deadlines: withoutContact(values.deadlines),
    restrictions: withoutContact(values.restrictions),
  };
}
