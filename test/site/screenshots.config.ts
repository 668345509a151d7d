// Configures `make screenshots`: the tests' own configuration for one file that is no test.
import { defineConfig } from "vitest/config";
import tests from "../../vitest.config.ts";

export default defineConfig({
  ...tests,
  test: {
    ...tests.test,
    include: ["test/site/screenshots.ts"],
    exclude: [],
    expect: { requireAssertions: false }, // it only takes pictures
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
