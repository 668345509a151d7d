import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Half of a small command's time is loading: all processes of the tests share what is compiled once.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), "grants-compile-cache");

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: "test/shared.setup.ts",
    pool: "forks",
    maxWorkers: availableParallelism(), // one fewer is the default, which leaves one of two cores idle
  },
});
