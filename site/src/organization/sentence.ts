// Defines a sentence with figures: its pieces are plain, strong, or linked.

export type Piece = string | { readonly strong: string } | { readonly text: string; readonly href: string };
