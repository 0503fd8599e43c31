import type { ListOptions, SessionPage } from "./store.ts";

const DEFAULT_LIMIT = 100;

/** How many ids a page asks for. */
export function pageLimit(options: ListOptions): number {
  return Math.max(1, Math.floor(options.limit ?? DEFAULT_LIMIT));
}

/** A page from up to `limit + 1` ids: the one too many tells that there is a next page. */
export function toPage(ids: readonly string[], limit: number): SessionPage {
  if (ids.length <= limit) return { ids };
  const page = ids.slice(0, limit);
  return { ids: page, cursor: page[limit - 1] };
}
