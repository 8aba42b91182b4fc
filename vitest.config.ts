import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const DRILLS_OF_CHAINS = "tests/chains/drills/**/*.test.ts";
const SOURCES = "{packages,apps,sdk,examples}/**/src/**";

/** The longest files. The whole run would wait for one of them if it came last. */
const LONGEST =
  /\/(visual\/screens|simulation\/(crash|models)|chains\/payout-crash|acceptance\/console-live|drills\/(alerts|local-chains)|rails\/market-service\.storage)\.test\.ts$/;

/** Runs the longest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** Node loads the built packages by itself. Vitest would transform them and evaluate them in each of its workers. */
const server = { deps: { external: [/\/packages\/[^/]+\/dist\//] } };

/** The bounds of waits and tests only end what hangs. A busy machine is many times slower, and a short one fails right tests. */
const expect = { poll: { timeout: 60_000 } };
const HANGS_MS = 300_000;

/**
 * A worker uses half of a processor, because it waits for intervals of the service and for other processes. The projects
 * run side by side, so that a worker with nothing left to do takes a file of another project.
 */
const maxWorkers = 2 * availableParallelism();

/**
 * Eight projects: unit beside the code, storage and simulation on real PostgreSQL, chains on a real node,
 * browser, visual, acceptance, and drills, which `npm test` runs only when they are named. The files of a project share
 * the modules of their worker, because loading them took most of the time. A test that replaces something global puts it
 * back afterwards.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          server,
          name: "unit",
          maxWorkers,
          expect,
          isolate: false,
          include: [`${SOURCES}/*.test.{ts,tsx}`, "tools/**/*.test.mjs", "bench/*.test.mjs"],
          exclude: ["**/node_modules/**", "**/dist/**", "**/*.{storage,browser}.test.ts"],
          // Otherwise Vitest hands out empty style sheets, and a test of them finds no fault.
          css: { include: /\.css\?raw$/ },
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "storage",
          maxWorkers,
          expect,
          isolate: false,
          include: [`${SOURCES}/*.storage.test.ts`],
          exclude: ["**/node_modules/**", "**/dist/**"],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "simulation",
          maxWorkers,
          expect,
          isolate: false,
          include: ["tests/simulation/**/*.test.ts"],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "chains",
          maxWorkers,
          expect,
          isolate: false,
          include: ["tests/chains/**/*.test.ts"],
          exclude: [DRILLS_OF_CHAINS],
          globalSetup: ["apps/server/src/testing/storage-server.ts"],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "browser",
          maxWorkers,
          expect,
          isolate: false,
          include: [`${SOURCES}/*.browser.test.ts`],
          exclude: ["**/node_modules/**", "**/dist/**"],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "visual",
          maxWorkers,
          expect,
          isolate: false,
          include: ["tests/visual/**/*.test.ts"],
          setupFiles: ["tests/support/browser/failed-pages.ts"],
          testTimeout: 900_000,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "acceptance",
          maxWorkers,
          expect,
          isolate: false,
          include: ["tests/acceptance/**/*.test.ts"],
          setupFiles: ["tests/support/browser/failed-pages.ts"],
          globalSetup: ["tests/support/service/shared-service.ts"],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
      {
        test: {
          server,
          name: "drills",
          maxWorkers,
          expect,
          isolate: false,
          include: [DRILLS_OF_CHAINS, "tests/drills/**/*.test.ts"],
          setupFiles: ["tests/support/browser/failed-pages.ts"],
          globalSetup: [
            "apps/server/src/testing/storage-server.ts",
            "tests/support/service/shared-service.ts",
          ],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
        },
      },
    ],
  },
});
