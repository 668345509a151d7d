// Serves the files of a release with `make preview`, as a static host does.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll } from "vitest";
import { until } from "../api-static/server/socket.fixture.ts";
import { checkout } from "../pipeline/release.fixture.ts";
import { findPorts } from "../ports.ts";

/** Serves the current release of a data folder for a test file; returns the address of the host. */
export function usePreview(data: () => string): () => string {
  let host: ChildProcess | undefined;
  let origin = "";
  beforeAll(async () => {
    const port = await findPorts(1);
    // `-o` treats the installed packages as up to date, so that a test never installs anything.
    const settings = [`DATA=${data()}`, "HOST=127.0.0.1", `PORT=${port}`];
    host = spawn("make", ["-s", "-o", "node_modules/.package-lock.json", "preview", ...settings], {
      cwd: checkout,
      stdio: "ignore",
    });
    origin = `http://127.0.0.1:${port}`;
    await until(() => fetch(origin).catch(() => undefined));
  });
  afterAll(async () => {
    const ended = host === undefined ? undefined : once(host, "exit");
    host?.kill();
    await ended;
  });
  return () => origin;
}
