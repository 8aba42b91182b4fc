import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SOURCES = "{packages,apps,sdk,examples}/**/src/**";

/** The longest files. The whole run would wait for one of them if it came last. */
const LONGEST = /\/tests\/(visual\/screens|simulation\/(crash|models))\.test\.ts$/;

/** Runs the longest files first, then the projects by name. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** A busy machine is slow: Vitest's usual bound of a second would fail tests that are right. */
const expect = { poll: { timeout: 30_000 } };

/**
 * Seven projects: unit beside the code, storage and simulation on real PostgreSQL, chains on a real node,
 * browser, visual, acceptance. The files of unit, storage and acceptance share the modules of their worker, because
 * loading them took most of the time. A test that replaces something global puts it back afterwards.
 */
export default defineConfig({
  test: {
    // Tests mostly wait for a service, a browser or a clock.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          expect,
          isolate: false,
          include: [`${SOURCES}/*.test.{ts,tsx}`, "tools/**/*.test.mjs", "bench/*.test.mjs"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.{storage,browser}.test.ts"],
          // Otherwise Vitest hands out empty style sheets, and a test of them finds no fault.
          css: { include: /\.css\?raw$/ },
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "storage",
          expect,
          isolate: false,
          include: [`${SOURCES}/*.storage.test.ts`],
          exclude: ["**/node_modules/**", "**/dist/**"],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "simulation",
          expect,
          isolate: false,
          include: ["tests/simulation/**/*.test.ts"],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: 300_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "chains",
          expect,
          include: ["tests/chains/**/*.test.ts"],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "browser",
          expect,
          include: [`${SOURCES}/*.browser.test.ts`],
          exclude: ["**/node_modules/**", "**/dist/**"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "visual",
          expect,
          include: ["tests/visual/**/*.test.ts"],
          testTimeout: 900_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "acceptance",
          expect,
          isolate: false,
          include: ["tests/acceptance/**/*.test.ts"],
          globalSetup: ["tests/support/service/shared-service.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
