// Checks the accessibility of every state at the width of a phone. A file of its own, so that it runs beside the other widths.
import { checkStates } from "./accessibility.fixture.ts";
import { widths } from "./browser.fixture.ts";

checkStates(widths.phone);
