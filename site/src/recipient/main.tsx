// Starts the page "recipient".
import "../organization/organization.css";
import "./recipient.css";
import { startPage } from "../shell/start.tsx";
import { RecipientPage } from "./page.tsx";

startPage(RecipientPage);
