// Writes the head of a printed page: its address, the release, and the day.
import { formatDay } from "../text/numbers.ts";

/** Puts a line above the page that only paper shows. It is written when printing starts, as the address may change. */
export function addPrintHead(): void {
  const head = document.createElement("p");
  head.className = "print-head";
  document.getElementById("main")?.before(head);
  addEventListener("beforeprint", () => {
    const release = document.getElementById("release")?.textContent ?? "";
    head.textContent = `${location.href} · ${release} Printed ${formatDay(new Date())}.`;
  });
}
