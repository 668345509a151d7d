// Shows a sentence with figures.
import type { Piece } from "./sentence.ts";

/** The sentence that answers first. */
export function Lede({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <p class="lede">
      {pieces.map((piece, index) =>
        typeof piece === "string" ? (
          piece
        ) : "strong" in piece ? (
          <strong key={index}>{piece.strong}</strong>
        ) : (
          <a key={index} href={piece.href}>
            {piece.text}
          </a>
        ),
      )}
    </p>
  );
}
