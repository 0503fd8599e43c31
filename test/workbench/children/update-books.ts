import { join } from "node:path";
import { lineagePath, newLineage, updateLineage, withStep } from "../../../src/workbench/lineage.ts";
import { appendManifestRows } from "../../../src/workbench/manifest.ts";

/** Writes 20 rows and 20 steps of its own into the books of `folder`, one at a time. */
const [folder = "", name = ""] = process.argv.slice(2);
const place = { path: lineagePath(folder), workspace: folder };
for (let count = 0; count < 20; count++) {
  const row = { step: `s${count}`, ok: true, numIterations: 1, text: "", error: "", attempts: 1, errors: [], resumed: false, retired: [] };
  await appendManifestRows(join(folder, "manifest.json"), [{ run: name, startedAt: "2026-01-01T00:00:00.000Z", ...row }]);
  await updateLineage(place, "flow", (lineage) =>
    withStep(lineage ?? newLineage("r", "en", name), `${name}-${count}`, { sessionId: name }),
  );
}
