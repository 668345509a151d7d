// Checks the accessibility of the other states, which open at the width of a phone. A separate file, so that both run in parallel.
import { checkStates } from "./accessibility.fixture.ts";
import { widths } from "./browser.fixture.ts";

checkStates(widths.phone);
