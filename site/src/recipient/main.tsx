// Starts the page "recipient".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
