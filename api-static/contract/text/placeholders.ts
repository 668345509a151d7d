// Recognizes texts that filers write in place of a recipient's name, e.g., "SEE ATTACHED SCHEDULE", in JavaScript and SQL.

/** Words that refer to a list elsewhere, to many recipients at once, or to nobody. */
const referringWords =
  "addendum anonymous appendix applicable att attach attached attachment attachments attch attchd attd " +
  "determined enclosed enclosure exhibit exhibits list listed listing listings lists misc miscellaneous " +
  "multiple na none numerous pdf request sch schedule schedules see statement statements stmt stmts supplement " +
  "supplemental tbd undisclosed unknown various";

/** Words beside them. None of them names anyone. */
const otherWords =
  "above additional address addresses agencies all also amount amounts and approved are as available award " +
  "awards be below by charitable charities charity contribution contributions copy detail details document " +
  "donation donations donor donors during each entities exempt families family file filed following footnote " +
  "footnotes for form from future general grant grantee grantees grants header here in included individual " +
  "individuals info information institutions is items line made more name named names needy next no non " +
  "nonprofit nonprofits not note notes number numbers of on only or organization organizations other others our " +
  "page pages paid part payment payments per persons pf please pls private program programs provided public " +
  "purpose purposes qualified recipient recipients refer reference report return scholarship scholarships " +
  "section separate several sheet sheets student students supporting tax the this to total totals under upon " +
  "with year years";

const words = `${referringWords} ${otherWords}`.split(" ");

/** ASCII punctuation, white space, and the quotes, dashes and dots of typography. Both kinds of expressions read it alike. */
const separator = String.raw`[\s!-/:-@[-\x60{-~‐-…«»]`;

/**
 * A word, or the number of a statement or page, e.g., "3", "12A" or "IV"; single letters are of "Part A" and "N/A". At most one alternative
 * matches, so that a long text takes no longer.
 */
const word = String.raw`(?:${words.join("|")}|\d+[a-z]?|[a-z]\d*|[ivx]{2,}|501c3)`;

/** A phrase of such words alone. A name of an organization has another word: "LIST FOUNDATION", "PLEASE TOUCH MUSEUM". */
const phrase = `^${separator}*${word}(?:${separator}+${word})*${separator}*$`;
const reference = `(?:^|${separator})(?:n/a|${referringWords.replaceAll(" ", "|")})(?:${separator}|$)`;

/** Words for people who are not named, and words beside them that the phrases above lack. */
const peopleWords =
  "children client clients families individual individuals patients people persons scholars scholarship " +
  "scholarships student students veterans victims";
const needWords = "aid assistance deserving disabled eligible income indigent low medical need poor sick";

const person = `(?:^|${separator})(?:${peopleWords.replaceAll(" ", "|")})(?:${separator}|$)`;
const wordOfPeople = `(?:${word}|${`${peopleWords} ${needWords}`.replaceAll(" ", "|")})`;
const phraseOfPeople = `^${separator}*${wordOfPeople}(?:${separator}+${wordOfPeople})*${separator}*$`;

/** Starts of longer references. Most names differ from all of them in their first letters. */
const opening = `^${separator}*(?:${[
  String.raw`(please\s+)?(see|refer\s+to)\s+.*\b(attach|statement|stmt|schedule|list(s|ing|ed)?\b|detail|exhibit|below|footnote|additional|supplement)`,
  String.raw`(see|per|as per)\s+(the\s+)?(attach|statement|stmt|schedule|list\b|part\b)`,
  String.raw`list\s+of\s+.*\battached`,
  String.raw`(attached|schedule attached|list attached|statement attached)\b`,
  String.raw`attachments?(\s*[:#(,;/]|\s+-|\W*\d|\s+(to|for|list|schedule|statement|page|part|form|see)\b)`,
  String.raw`(various|misc|miscellaneous|multiple)\b`,
  String.raw`n[/.]?a\W*$`,
].join("|")})`;

/** Names that start like a reference: by their last word, e.g., "VARIOUS ARTISTS FOUNDATION", or by their second one. */
const named = String.raw`^\W*(various|misc|miscellaneous|multiple|attached)\b(\s+(sclerosis|myeloma|district|handicapped)\b|.*\s(foundation|society|network|association|assoc|assn|alliance|coalition|institute|center|inc|incorporated|corp|llc)\W*$)`;

const [isPhrase, isReference, isOpening, isNamed] = [phrase, reference, opening, named].map(
  (pattern) => new RegExp(pattern, "i"),
) as [RegExp, RegExp, RegExp, RegExp];

/** True for a text that refers to a list, to many recipients at once or to nobody, instead of naming one. */
export function isPlaceholder(text: string): boolean {
  return (isPhrase.test(text) && isReference.test(text)) || (isOpening.test(text) && !isNamed.test(text));
}

/** SQL condition that a name stands for people whom it does not name, e.g., "VARIOUS NEEDY PATIENTS". `column` must be a constant of ours. */
export function peopleSql(column: string): string {
  return `(${matchesSql(column, person)} AND ${matchesSql(column, phraseOfPeople)})`;
}

/** SQL for `isPlaceholder` of a column. `column` must be a constant of ours. */
export function placeholderSql(column: string): string {
  const matches = (pattern: string) => matchesSql(column, pattern);
  return `(${matches(phrase)} AND ${matches(reference)} OR ${matches(opening)} AND NOT ${matches(named)})`;
}

function matchesSql(column: string, pattern: string): string {
  return `regexp_matches(${column}, '(?i)${pattern}')`;
}

/** The type of the rows of Schedule I, Part III: each is a total of one kind of aid to people. */
export const individualsType = "Schedule I individuals";

/**
 * SQL condition, never null: the type in any case, or without an EIN a name such as "VARIOUS NEEDY PATIENTS".
 * @param isPeople SQL condition that the name stands for people, as `peopleSql` writes it
 */
export function individualsSql(isPeople: string): string {
  return `(coalesce(lower(type) = '${individualsType.toLowerCase()}', false)
    OR recipient_ein IS NULL AND coalesce(${isPeople}, false))`;
}
