/** Registers one test, as `it` of vitest, jest and mocha or `test` of node:test do. */
export type RegisterTest = (title: string, run: () => Promise<void>) => unknown;

/** The test function of the runner that this runs under. Throws, naming the suite that needs it, when none is global. */
export function globalRegister(suite: string): RegisterTest {
  const { it, test } = globalThis as { it?: RegisterTest; test?: RegisterTest };
  const register = it ?? test;
  if (!register) throw new TypeError(`${suite}: no global it or test; pass the test function of your runner as third argument.`);
  return register;
}
