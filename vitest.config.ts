// Configures the tests: which files run, where their temporary files go, and which share a process.
import { availableParallelism, tmpdir } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { findMemoryDisk } from "./test/memoryDisk.ts";
import { isWhole } from "./test/proofs.ts";

// TMPDIR=… chooses a real disk.
process.env.TMPDIR ??= findMemoryDisk() ?? tmpdir();

/**
 * Tests of tools beside the service, and tests that take long because they are about load, memory, a large sample, many failures
 * or many hosts. Quick tests of the same parts are in the short form.
 */
const wholeOnly = [
  "test/api-static/edge/downloads.test.ts",
  "test/api-static/edge/hosts.test.ts",
  "test/api-static/edge/nginx.life.test.ts",
  "test/api-static/edge/nginx.test.ts",
  "test/api-static/openapi/tools.test.ts",
  "test/api-static/server/answers/export.memory.test.ts",
  "test/api-static/server/answers/exportPlaces.test.ts",
  "test/api-static/server/http/hostile.test.ts",
  "test/api-static/server/load.test.ts",
  "test/api-static/server/mcp/conformance.test.ts",
  "test/api-static/server/mcp/hostile.test.ts",
  "test/api-static/server/workers.test.ts",
  "test/deploy/podman.test.ts",
  "test/docs/clients.hosts.test.ts",
  "test/docs/clients.test.ts",
  "test/docs/readme.test.ts",
  "test/pipeline/base/lock.test.ts",
  "test/pipeline/delivery/load*.test.ts",
  "test/pipeline/delivery/policy.test.ts",
  "test/pipeline/delivery/pull.repair.test.ts",
  "test/pipeline/delivery/pull.test.ts",
  "test/pipeline/delivery/state.test.ts",
  "test/pipeline/faults.current.test.ts",
  "test/pipeline/faults.write.test.ts",
  "test/pipeline/irs/hostile.test.ts",
  "test/pipeline/irs/kill.test.ts",
  "test/pipeline/irs/unchanged.test.ts",
  "test/pipeline/main.disk.test.ts",
  "test/pipeline/parts/downloads/grants.test.ts",
  "test/pipeline/parts/pages/searches.sync.test.ts",
  "test/pipeline/releases/changes/entry.test.ts",
  "test/pipeline/releases/durability.test.ts",
  "test/pipeline/releases/gate.sync.test.ts",
  "test/pipeline/releases/history.test.ts",
  "test/pipeline/sync.cleanup.test.ts",
  "test/pipeline/sync.columns.test.ts",
  "test/pipeline/sync.order.test.ts",
  "test/pipeline/verify/content.test.ts",
  "test/pipeline/verify/faults.test.ts",
  "test/pipeline/warehouse/bucketWarehouse.test.ts",
  "test/site/accessibility.*.test.ts",
  "test/site/journeys/**",
  "test/tools/bench/**",
  "test/tools/follow/**",
  "test/tools/node/**",
  "test/tools/sample/**",
];
// SEED=… shuffles files and tests, as CI does, so that no test comes to rely on another.
const { SEED } = process.env;
const shuffled = { shuffle: { files: true, tests: true }, seed: Number(SEED) };

if (!isWhole) console.log(`short form: without ${wholeOnly.join(" and ")}; make proofs runs them`);

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isWhole ? [] : wholeOnly)],
    // Twice what the slowest test takes on a busy machine of two cores: a sync of 200,000 grants.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    globalSetup: "test/shared.setup.ts",
    // A test that asserts nothing cannot fail. On a busy machine, a page shows an answer late.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    sequence: SEED === undefined ? {} : shuffled,
    pool: "forks",
    isolate: false, // a new process for each file would spend a quarter of the time on loading the same modules
    maxWorkers: availableParallelism() + 1, // many tests wait for processes and connections
  },
});
