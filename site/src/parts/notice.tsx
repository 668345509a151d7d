// Shows a notice: an event, its meaning, and a remedy.
import type { ComponentChildren } from "preact";

type BoxProperties = {
  readonly title: string;
  readonly tone?: "plain" | "warning" | "error";
  readonly children: ComponentChildren;
};

/** The box of a notice; screen readers hear it when it appears. */
export function NoticeBox({ title, tone = "plain", children }: BoxProperties) {
  return (
    <section
      class={`notice${tone === "plain" ? "" : ` notice-${tone}`}`}
      role={tone === "error" ? "alert" : "status"}
    >
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type Properties = BoxProperties & {
  /** What the button does; without it there is none. */
  readonly onButton?: (() => void) | undefined;
  readonly button?: string;
};

/** A notice of one paragraph. */
export function Notice({ onButton, button = "Try again", children, ...box }: Properties) {
  return (
    <NoticeBox {...box}>
      <p>{children}</p>
      {onButton === undefined ? null : (
        <button type="button" class="button" onClick={onButton}>
          {button}
        </button>
      )}
    </NoticeBox>
  );
}
