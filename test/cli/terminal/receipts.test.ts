import { expect, test } from "vitest";
import { interruptReceipt, mailReceipt } from "../../../src/cli/terminal/receipts.ts";
import { translator } from "../../../src/i18n/catalogue.ts";

const t = translator("en");
const next = "The agent reads it at its next checkpoint.";
const stop = "The run will stop at its next message and hear this.";

test.each([
  [{ amended: "brief.md" }, `m1 is queued and saved to brief.md. ${next}`, `${stop} Your words stand in brief.md.`],
  [{ amended: "", notSaved: "EISDIR" }, `m1 is queued, but saved to no file. ${next} Not saved: EISDIR`, `${stop} Not saved: EISDIR`],
  [{ amended: "" }, `m1 is queued, but saved to no file. ${next}`, stop],
])("a receipt says where words were saved, or why not, and claims nothing when nobody keeps them: %j", (receipt, mail, interrupt) => {
  expect(mailReceipt(t, { id: "m1", ...receipt })).toBe(mail);
  expect(interruptReceipt(t, "in French", receipt)).toBe(interrupt);
});

test("an interrupt without words says that it just stops for a moment", () => {
  expect(interruptReceipt(t, " ", { amended: "" })).toBe("The run will stop at its next message for a moment and go on.");
});
