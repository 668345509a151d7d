// Starts the page "funder".
import "../organization/organization.css";
import { startPage } from "../shell/start.tsx";
import { FunderPage } from "./page.tsx";

startPage(FunderPage);
