// Starts the Status page.
import "./status.css";
import { startPage } from "../shell/start.tsx";
import { StatusPage } from "./statusPage.tsx";

startPage(StatusPage);
