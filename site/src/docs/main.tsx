// Starts the page "docs".
import { startPage } from "../shell/start.tsx";

startPage(() => <div class="wide page" />);
