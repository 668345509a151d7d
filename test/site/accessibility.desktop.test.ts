// Checks the accessibility of half of the states, which open at the width of a desktop.
import { checkStates } from "./accessibility.fixture.ts";
import { widths } from "./browser.fixture.ts";

checkStates(widths.desktop);
