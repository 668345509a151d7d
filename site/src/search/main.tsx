// Starts the search page, and its call before anything is drawn.
import "./search.css";
import { statusCall } from "../api/calls.ts";
import { askEarly } from "../api/useCall.ts";
import { startPage } from "../shell/start.tsx";
import { readSearch } from "./readSearch.ts";
import { SearchPage } from "./searchPage.tsx";

const { call, release } = readSearch(location.search, history.state?.release);
askEarly(statusCall);
if (call !== undefined) askEarly(call, release);
startPage(SearchPage);
