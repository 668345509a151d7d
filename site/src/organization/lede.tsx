// Shows a sentence with numbers.

/** The first sentence of a page. */
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

export type Piece = string | { readonly strong: string } | { readonly text: string; readonly href: string };
