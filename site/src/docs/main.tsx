// Starts the API guide: the page is in the HTML, and this adds what it can do with a script.
import "./docs.css";
import { render } from "preact";
import { searchCall } from "../api/calls.ts";
import { startFrame } from "../shell/start.tsx";
import { exampleOrigin, Json, Panels } from "./panels.tsx";
import { type Eins, exampleEins, pickEins } from "./run.ts";
import { followSections } from "./sectionInView.ts";

let found: Promise<Eins> | undefined;

/** EINs that the release has; asked for once, by the first run. */
function findEins(): Promise<Eins> {
  found ??= searchCall({})
    .ask(new AbortController().signal)
    .then((answer) => (answer.isFound ? pickEins(answer.body.data) : exampleEins));
  return found;
}

startFrame();
for (const place of document.querySelectorAll<HTMLElement>("[data-request]")) {
  const answer = place.querySelector(".answer")?.textContent ?? "";
  place.replaceChildren();
  render(<Panels request={place.dataset.request ?? ""} answer={answer} findEins={findEins} />, place);
}
for (const place of document.querySelectorAll<HTMLElement>("[data-mistake]")) {
  const pre = place.querySelector("pre");
  const [head = "", text = ""] = [place.dataset.mistake, pre?.textContent];
  if (pre === null) continue;
  pre.replaceChildren();
  render([head, <Json key="answer" text={text.slice(head.length)} />], pre);
}
// Examples name the host that the reader is on.
for (const { firstChild } of document.querySelectorAll(".guide pre"))
  if (firstChild instanceof Text) firstChild.data = firstChild.data.replace(exampleOrigin, location.origin);
followSections(document.querySelectorAll<HTMLAnchorElement>(".guide-nav a[href^='#']"));
