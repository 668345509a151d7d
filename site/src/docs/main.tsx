// Starts the API guide, which is whole in the HTML: makes its requests ready to copy, and follows the section in view.
import "./docs.css";
import { render } from "preact";
import { startFrame } from "../shell/start.tsx";
import { Request } from "./panels.tsx";
import { followSections } from "./sectionInView.ts";

startFrame();
for (const place of document.querySelectorAll<HTMLElement>("[data-request]")) {
  const { request = "" } = place.dataset;
  place.replaceChildren();
  render(<Request request={request} origin={location.origin} isLive />, place);
}
followSections(document.querySelectorAll<HTMLAnchorElement>(".guide-nav a[href^='#']"));
