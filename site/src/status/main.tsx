// Starts the page "status".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
