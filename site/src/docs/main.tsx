// Starts the API guide: the HTML has it in short, and this shows it whole, with examples that run.
import "./docs.css";
import guide from "virtual:guide";
import { startPage } from "../shell/start.tsx";
import { GuidePage } from "./guidePage.tsx";
import { followSections } from "./sectionInView.ts";

startPage(() => <GuidePage {...guide} origin={location.origin} />);
document.getElementById(location.hash.slice(1))?.scrollIntoView(); // the content above it has grown
followSections(document.querySelectorAll<HTMLAnchorElement>(".guide-nav a[href^='#']"));
