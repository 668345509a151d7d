// Configures the mutation tester: which modules it changes, and how many changes may go unnoticed.

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: [
    "api-static/contract/**/*.ts",
    "api-static/release/layout.ts",
    "api-static/search/plan.ts",
    "pipeline/delivery/changes.ts",
    "pipeline/releases/comparison.ts",
    "pipeline/releases/gate.ts",
    "pipeline/releases/retention.ts",
  ],
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "tools/mutants/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  // A static mutant changes a value that a module computes once, when it is loaded: tables of names, schemas, constants and SQL. Each one
  // needs a run of every test in a new process, which would take most of the time. They are omitted.
  ignoreStatic: true,
  concurrency: 2,
  tsconfigFile: "tools/mutants/none.json", // no such file: TypeScript 7 has no JavaScript API, with which the tester would read it
  tempDirName: "node_modules/.stryker",
  ignorePatterns: ["data", "docs"],
  disableTypeChecks: false, // Node.js and Vitest remove types without checking them
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  thresholds: { high: 100, low: 90, break: 90 },
};
