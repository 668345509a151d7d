// Starts the Compare page.
import { startPage } from "../shell/start.tsx";
import "./compare.css";
import { ComparePage } from "./comparePage.tsx";

startPage(ComparePage);
