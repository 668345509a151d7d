// Starts the API guide, which is whole in the HTML: makes its examples run, and follows the section in view.
import "./docs.css";
import { render } from "preact";
import { startFrame } from "../shell/start.tsx";
import { Panels } from "./panels.tsx";
import { followSections } from "./sectionInView.ts";

startFrame();
for (const place of document.querySelectorAll<HTMLElement>("[data-request]")) {
  const { request = "" } = place.dataset;
  const answer = place.querySelector(".answer")?.textContent;
  place.replaceChildren();
  render(<Panels request={request} answer={answer} origin={location.origin} isLive />, place);
}
followSections(document.querySelectorAll<HTMLAnchorElement>(".guide-nav a[href^='#']"));
