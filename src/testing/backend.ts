import { callCases } from "./backend-calls.ts";
import { CaseModel } from "./backend-model.ts";
import { permissionCases } from "./backend-permissions.ts";
import { sessionCases } from "./backend-sessions.ts";
import { speechCases } from "./backend-speech.ts";
import { type BackendCase, BackendStage, type MakeBackend } from "./backend-stage.ts";
import { steeringCases } from "./backend-steering.ts";
import { subagentCases } from "./backend-subagents.ts";
import { globalRegister, type RegisterTest } from "./register-test.ts";

export { type Difference, type Line, MAY_DIFFER, transcriptOf } from "./backend-differences.ts";
export type { CaseModel, Heard, ModelFailure, ModelReply, ModelSays, ModelScript, ModelView } from "./backend-model.ts";
export type { BackendCase, BackendFixture, BackendStage, MakeBackend, Played } from "./backend-stage.ts";

/** Everything a backend must do, each case naming the guarantee of `Backend` that it checks. */
export const BACKEND_CASES: readonly BackendCase[] = [
  ...speechCases,
  ...callCases,
  ...permissionCases,
  ...sessionCases,
  ...steeringCases,
  ...subagentCases,
];

/**
 * Registers the conformance suite for a backend. `make` is called for every case, with the model of that case; `register` defaults
 * to the global `it` or `test`.
 *
 *     testBackend("my backend", async (model) => ({ backend: new MyBackend(…), … }), it);
 */
export function testBackend(name: string, make: MakeBackend, register: RegisterTest = globalRegister("testBackend")): void {
  for (const testCase of BACKEND_CASES) {
    register(`${name}: ${testCase.name} (guarantee ${testCase.guarantee})`, async () => {
      const model = new CaseModel(testCase.name);
      const fixture = await make(model);
      try {
        await testCase.run(new BackendStage(fixture, model));
      } finally {
        await fixture.cleanup();
      }
    });
  }
}
