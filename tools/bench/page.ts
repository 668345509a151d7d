// Edits docs/benchmarks.md: an introduction and one section per part, so that each part can be measured alone.

const opening = `# Benchmarks

\`make bench\` writes this page; \`make bench ONLY=search\` measures one part and keeps the other sections. Compare ratios rather than
absolute times: machines differ, and shared ones are noisy.
`;

const heading = /^## (.+)$/gm;

const machineOf = /, on (\d+ cores .+)\.$/m;

const shared = "Unless a section names another machine: ";

/**
 * Returns the page with one section added or replaced. Sections keep the order of `titles`; other sections are dropped.
 * @param page text of the page so far; may be empty
 * @param titles of all parts
 * @param body the section's text without its heading
 */
export function putSection(page: string, titles: readonly string[], title: string, body: string): string {
  const sections = readSections(page).set(title, body.trim());
  const machine = machineOf.exec(body)?.[1] ?? readMachine(page);
  const written = titles.flatMap((known) => {
    const text = sections.get(known);
    return text === undefined ? [] : [`## ${known}\n\n${text.replace(`, on ${machine}.`, ".")}\n`];
  });
  return [opening, ...(machine === undefined ? [] : [`${shared}${machine}.\n`]), ...written].join("\n");
}

/** The machine of the sections that name none. */
function readMachine(page: string): string | undefined {
  return page
    .split("\n")
    .find((line) => line.startsWith(shared))
    ?.slice(shared.length, -1);
}

/** Returns the text of each section by title, with its machine. */
function readSections(page: string): Map<string, string> {
  const found = [...page.matchAll(heading)];
  const machine = readMachine(page);
  const nameMachine = (text: string) =>
    machine === undefined
      ? text
      : text.replace(/^(`make bench .+`, \d{4}-\d\d-\d\d)\.$/m, `$1, on ${machine}.`);
  return new Map(
    found.map((match, index) => {
      const end = found[index + 1]?.index ?? page.length;
      return [match[1] ?? "", nameMachine(page.slice(match.index + match[0].length, end).trim())];
    }),
  );
}
