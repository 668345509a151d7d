// Shows a notice: an event, its meaning, and a remedy.
import type { ComponentChildren } from "preact";

type Properties = {
  readonly title: string;
  readonly tone?: "plain" | "warning" | "error";
  readonly children: ComponentChildren;
};

/** A notice; screen readers hear it when it appears. */
export function Notice({ title, tone = "plain", children }: Properties) {
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
