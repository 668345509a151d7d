// Recognizes texts that filers write in place of a recipient's name.
import { nameWords } from "../../../api-static/contract/text/names.ts";

/** Words of texts such as "SEE ATTACHED SCHEDULE" or "Scholarship recipients", which filers write in place of names. */
const generalWords = new Set(
  (
    "a above anonymous and attached attachment attachments available award awards below charities charity " +
    "contributions detail details donations exhibit families family following for form general grant grantee " +
    "grantees grants in individual individuals line list listing miscellaneous misc multiple n na needy none not " +
    "numerous of on or organization organizations other others page part persons pf public qualified recipient " +
    "recipients request schedule scholarship scholarships see several statement statements student students the " +
    "to total undisclosed unknown upon various"
  ).split(" "),
);

/** True for a text without a name, e.g., "SEE ATTACHED": grants to anyone have it. */
export function isGeneralName(text: string): boolean {
  return (
    /^[\p{ASCII}]*$/u.test(text) &&
    nameWords(text).every((word) => generalWords.has(word) || /^\d+$/.test(word))
  );
}
