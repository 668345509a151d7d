// Clamps a long text at two lines, with a button that shows the rest.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** Its children in two lines, and "more" if they need a third. */
export function Clamped({ children }: { children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setIsCut] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    if (!isOpen) setIsCut(scrollHeight > clientHeight + 1);
  }, [children, isOpen]);
  return (
    <div class={isCut && !isOpen ? "is-cut" : ""}>
      <div ref={box} class={isOpen ? "" : "clamped"}>
        {children}
      </div>
      {isCut ? (
        <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "less" : "more"}
        </button>
      ) : null}
    </div>
  );
}
