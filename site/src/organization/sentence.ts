// Defines a sentence with figures: its pieces are plain, strong, or linked.

export type Piece = string | { readonly strong: string } | { readonly text: string; readonly href: string };

/** The whole sentence as text, for titles and tests. */
export function formatPieces(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : "strong" in piece ? piece.strong : piece.text))
    .join("");
}
