// Starts the page "compare".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
