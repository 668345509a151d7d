// Starts the page "funder".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
