import { defineConfig } from "vitest/config";

/** What starts the built package: whole jobs, and the programs of the examples and of the documentation. */
const END_TO_END = ["test/e2e/**/*.test.ts", "test/examples/**/*.test.ts", "test/docs/examples.test.ts"];

export default defineConfig({
  resolve: { conditions: ["flower-source"] },
  ssr: { resolve: { conditions: ["flower-source"], externalConditions: ["flower-source"] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 20 } }, // what is waited for may need a process to start on a machine at work
    coverage: { provider: "v8", include: ["src/**"] },
    projects: [
      {
        extends: true,
        test: {
          name: "parts",
          include: ["test/**/*.test.ts"],
          exclude: END_TO_END,
          globalSetup: "test/scripts.ts",
          maxWorkers: "100%",
          isolate: false, // half of the time would go into loading the same modules again for every file
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      // After the others: these start many processes, and mostly wait for them.
      {
        extends: true,
        test: {
          name: "e2e",
          include: END_TO_END,
          globalSetup: "test/e2e/build.ts",
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
