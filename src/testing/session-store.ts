import { globalRegister, type RegisterTest } from "./register-test.ts";
import { exclusionCases } from "./session-store-exclusion.ts";
import type { MakeSessionStore, SessionStoreCase } from "./session-store-fixture.ts";
import { readingCases } from "./session-store-reading.ts";
import { turnCases } from "./session-store-turns.ts";

export type { MakeSessionStore, SessionStoreCase, SessionStoreFixture } from "./session-store-fixture.ts";

/** Everything a session store must do, each case naming the guarantee of `SessionStore` that it checks. */
export const SESSION_STORE_CASES: readonly SessionStoreCase[] = [...exclusionCases, ...turnCases, ...readingCases];

/**
 * Registers the conformance suite for a store. `make` is called for every case; `register` defaults to the global `it` or `test`.
 *
 *     testSessionStore("my store", async () => ({ store: new MyStore(…), … }), it);
 */
export function testSessionStore(name: string, make: MakeSessionStore, register: RegisterTest = globalRegister("testSessionStore")): void {
  for (const testCase of SESSION_STORE_CASES) {
    register(`${name}: ${testCase.name} (guarantee ${testCase.guarantee})`, async () => {
      const fixture = await make();
      try {
        await testCase.run(fixture);
      } finally {
        await fixture.cleanup();
      }
    });
  }
}
