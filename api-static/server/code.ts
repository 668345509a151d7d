// Identifies the files that this server runs: an upgrade in place may change them while it runs.
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

/** A short digest of the code and of the list of installed packages. A file that is missing counts as a change. */
export function digestCode(folder = checkout): string {
  try {
    const names = readdirSync(join(folder, "api-static"), { recursive: true, encoding: "utf8" });
    const sources = names.filter((name) => name.endsWith(".ts")).map((name) => join("api-static", name));
    const paths = [...sources.sort(), "package.json", join("node_modules", ".package-lock.json")];
    const digests = paths.map((path) => `${path} ${hash("sha256", readFileSync(join(folder, path)))}`);
    return hash("sha256", digests.join("\n")).slice(0, 16);
  } catch {
    return "incomplete"; // it is being installed, or was removed
  }
}
