// Configures the tests that the mutation tester runs: only the fast ones, which need no release.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "test/api-static/contract/**/*.test.ts",
      "test/api-static/release/layout.test.ts",
      "test/api-static/search/plan.test.ts",
      "test/pipeline/delivery/changes.test.ts",
      "test/pipeline/releases/comparison.test.ts",
      "test/pipeline/releases/gate.test.ts",
      "test/pipeline/releases/retention.test.ts",
    ],
    testTimeout: 600_000, // the mutation tester has its own time limit
  },
});
