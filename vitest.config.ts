import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["flower-source"] },
  ssr: { resolve: { conditions: ["flower-source"], externalConditions: ["flower-source"] } },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**"] },
  },
});
