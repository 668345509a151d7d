// Reads the version of the service and of its contract, which package.json has.
import service from "../../package.json" with { type: "json" };

/** e.g., "1.0.0" */
export const { version } = service;
