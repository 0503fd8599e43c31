/** Where, in tokens of the main thread's context, a context handoff is announced and made. */
export interface ContextLimits {
  /** What the model can take. */
  readonly window: number;
  /** From here on a person is told that it comes near. */
  readonly warnAt: number;
  /** From here on a fresh session takes over. */
  readonly at: number;
}

/** For a model that nobody knows: the smallest window of the models that are sold for long work today. */
export const DEFAULT_WINDOW = 200_000;

/**
 * 750k of 1M, 150k of 200k, 60k of 100k, 19k of 32k. A quarter of the window is kept free, and in small windows more: one
 * iteration with a large file must fit between the line and the wall, and so must the writing of the document.
 * `headroom`: tokens to keep free instead.
 */
export function contextLimits(window: number, headroom?: number): ContextLimits {
  const room = headroom ?? Math.max(0.25 * window, Math.min(50_000, 0.4 * window));
  const at = Math.max(1, Math.floor(window - room));
  return { window, at, warnAt: Math.max(1, at - Math.floor(Math.min(20_000, 0.1 * window))) };
}

/**
 * The window to reckon with after the provider refused a request as too long, although the level before it was only `level`.
 * It leaves a session that begins at `floor` room to work in, or every generation would be the last.
 */
export function loweredWindow(window: number, level: number, floor: number): number {
  const believed = level > 0 ? level : Math.floor(window / 2);
  return Math.min(window, Math.max(believed, 2 * floor));
}
