import { defineConfig } from "vitest/config";

const END_TO_END = "test/e2e/**/*.test.ts";

export default defineConfig({
  resolve: { conditions: ["flower-source"] },
  ssr: { resolve: { conditions: ["flower-source"], externalConditions: ["flower-source"] } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**"] },
    projects: [
      { extends: true, test: { name: "parts", include: ["test/**/*.test.ts"], exclude: [END_TO_END], maxWorkers: "100%" } },
      // After the others: these start many processes, and mostly wait for them.
      {
        extends: true,
        test: {
          name: "e2e",
          include: [END_TO_END],
          globalSetup: "test/e2e/build.ts",
          testTimeout: 90_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
