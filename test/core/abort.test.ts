import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { abortReason, linkAbort, throwIfAborted, withAbort } from "../../src/core/abort.ts";
import { isFlowerError } from "../../src/core/errors.ts";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

test("the caller's own reason comes through; an abort without one is an aborted error", () => {
  const mine = { why: "mine" };
  expect(abortReason(AbortSignal.abort(mine))).toBe(mine);
  expect(isFlowerError(abortReason(AbortSignal.abort()), "aborted")).toBe(true);
  expect(() => throwIfAborted(AbortSignal.abort("stop"))).toThrow("stop");
  expect(() => throwIfAborted(undefined)).not.toThrow();
  expect(() => throwIfAborted(new AbortController().signal)).not.toThrow();
});

test("withAbort settles like the promise and leaves no listener", async () => {
  const { signal } = new AbortController();
  expect(await withAbort(Promise.resolve(1), signal)).toBe(1);
  await expect(withAbort(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(await withAbort(Promise.resolve(2), undefined)).toBe(2);
  expect(listeners(signal)).toBe(0);
});

test("withAbort rejects at once with the reason, whatever the promise does later, and leaves no listener", async () => {
  const controller = new AbortController();
  let fail: (error: unknown) => void = () => {};
  const late = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const waiting = withAbort(late, controller.signal);
  expect(listeners(controller.signal)).toBe(1);
  controller.abort("stop");
  await expect(waiting).rejects.toBe("stop");
  expect(listeners(controller.signal)).toBe(0);
  fail(new Error("nobody listens any more")); // an unhandled rejection would fail this file
});

test("withAbort with a signal that is aborted already rejects, and swallows the promise's own failure", async () => {
  await expect(withAbort(Promise.reject(new Error("late")), AbortSignal.abort("gone"))).rejects.toBe("gone");
});

test("a linked signal aborts with the reason of whichever parent aborts first", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const link = linkAbort(a.signal, undefined, b.signal);
  b.abort("b");
  a.abort("a");
  expect(link.signal.reason).toBe("b");
});

test("a linked signal is born aborted when a parent is, with its reason", () => {
  const link = linkAbort(new AbortController().signal, AbortSignal.abort("before"));
  expect(link.signal.aborted).toBe(true);
  expect(link.signal.reason).toBe("before");
  link.dispose();
});

test("dispose removes every listener from the parents, and parents no longer reach the link", () => {
  const [a, b] = [new AbortController(), new AbortController()];
  const link = linkAbort(a.signal, b.signal);
  expect([listeners(a.signal), listeners(b.signal)]).toEqual([1, 1]);
  link.dispose();
  link.dispose();
  expect([listeners(a.signal), listeners(b.signal)]).toEqual([0, 0]);
  a.abort();
  expect(link.signal.aborted).toBe(false);
});

test("aborting a link does not reach its parents", () => {
  const parent = new AbortController();
  const link = linkAbort(parent.signal);
  link.abort("mine");
  expect(link.signal.reason).toBe("mine");
  expect(parent.signal.aborted).toBe(false);
});

test("a link's signal that is looked at only after the abort is aborted, with its reason", () => {
  const link = linkAbort();
  link.abort("early");
  link.abort("late");
  expect([link.aborted, link.reason, link.signal.aborted, link.signal.reason]).toEqual([true, "early", true, "early"]);
});

test("onAbort tells once, with the reason, at once when it is too late, and not whoever took the listener back", () => {
  const link = linkAbort();
  const told: unknown[] = [];
  link.onAbort((reason) => told.push(["first", reason]));
  link.onAbort((reason) => told.push(["gone", reason]))();
  link.abort("stop");
  link.abort("again");
  link.onAbort((reason) => told.push(["late", reason]));
  expect(told).toEqual([
    ["first", "stop"],
    ["late", "stop"],
  ]);
});

test("onAbort tells a reason of its own when none was given", () => {
  const link = linkAbort();
  let told: unknown;
  link.onAbort((reason) => {
    told = reason;
  });
  link.abort();
  expect(told).toMatchObject({ code: "aborted" });
});

test("a link follows another link, until it is disposed, and leaves no signal behind", () => {
  const parent = linkAbort();
  const [child, former] = [linkAbort(parent), linkAbort(parent)];
  former.dispose();
  parent.abort("all");
  expect([child.reason, former.aborted]).toEqual(["all", false]);
});

test("withAbort hears a link", async () => {
  const link = linkAbort();
  const waiting = withAbort(new Promise(() => {}), link);
  link.abort("enough");
  await expect(waiting).rejects.toBe("enough");
});
