// Runs a pipeline command as a process, as pipeline/main.ts does, but a sync copies the small site.
import { main } from "../../pipeline/main.ts";
import { smallSite } from "./smallSite.ts";

process.exitCode = await main(process.argv.slice(2), process.env, process, smallSite);
