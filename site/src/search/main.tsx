// Starts the page "search".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
