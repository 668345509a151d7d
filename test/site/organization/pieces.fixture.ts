// Joins the pieces of a sentence, so that tests can compare it as a reader sees it.
import type { Piece } from "../../../site/src/organization/sentences.ts";

export function formatPieces(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : "strong" in piece ? piece.strong : piece.text))
    .join("");
}
