// Shows text in which backticks mark code.

/** e.g., "`total` is exact" with the first word as code. */
export function Prose({ text }: { text: string }) {
  return (
    <>{text.split("`").map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}</>
  );
}
