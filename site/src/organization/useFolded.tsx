// Folds a long list: its first items are shown, and a button shows the others.
import type { ComponentChild } from "preact";
import { useState } from "preact/hooks";
import { formatCounted } from "../text/numbers.ts";

/**
 * The items to show, and the button below them, if it is needed.
 * @param atFirst number of items shown at first
 * @param noun of one item, e.g., "funder"
 * @param list `id` of the list
 */
export function useFolded<Item>(
  items: readonly Item[],
  atFirst: number,
  noun: string,
  list: string,
): readonly [shown: readonly Item[], button: ComponentChild] {
  const [isOpen, setIsOpen] = useState(false);
  const more = items.length - atFirst;
  if (more <= 0) return [items, null];
  return [
    isOpen ? items : items.slice(0, atFirst),
    <button
      type="button"
      class="link-button fold"
      aria-controls={list}
      aria-expanded={isOpen}
      onClick={() => setIsOpen(!isOpen)}
    >
      {isOpen ? `Show fewer ${noun}s` : `Show ${formatCounted(more, `more ${noun}`)}`}
    </button>,
  ];
}
