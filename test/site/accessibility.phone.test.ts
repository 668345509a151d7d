// Checks the accessibility of every state at the width of a phone. A separate file, so that it runs in parallel with the one of desktops.
import { checkStates } from "./accessibility.fixture.ts";
import { widths } from "./browser.fixture.ts";

checkStates(widths.phone);
