// Owns the form of docs/benchmarks.md: an opening and one section for each part, so that a part is measured alone.

const opening = `# Benchmarks

Written by \`make bench\`; \`make bench ONLY=search\` measures one part and leaves the other sections as they are. Each section
names the command, machine and versions of its figures. Read the ratios: machines differ, and shared ones are noisy.
`;

const heading = /^## (.+)$/gm;

/**
 * The page with one section put in or replaced. Sections stand in the order of `titles`; those of other titles are dropped.
 * @param page text of the page as it was, or an empty one
 * @param titles of all parts
 * @param body the section's text without its heading
 */
export function putSection(page: string, titles: readonly string[], title: string, body: string): string {
  const sections = readSections(page).set(title, body.trim());
  const written = titles.flatMap((known) => {
    const text = sections.get(known);
    return text === undefined ? [] : [`## ${known}\n\n${text}\n`];
  });
  return [opening, ...written].join("\n");
}

/** Texts of the sections by title. */
function readSections(page: string): Map<string, string> {
  const found = [...page.matchAll(heading)];
  return new Map(
    found.map((match, index) => {
      const end = found[index + 1]?.index ?? page.length;
      return [match[1] ?? "", page.slice(match.index + match[0].length, end).trim()];
    }),
  );
}
