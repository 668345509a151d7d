// Starts the frame of the page for addresses that do not exist; its main part is in the HTML.
import { startFrame } from "./start.tsx";

startFrame();
