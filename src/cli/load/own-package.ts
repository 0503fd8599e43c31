/** Module hooks: `flower-agents` resolves to the importing folder's own copy; where there is none, to ours. */
interface Context {
  readonly parentURL?: string;
}
type Next = (specifier: string, context: Context) => Promise<{ readonly url: string }>;

let own = "";

export function initialize(data: { readonly own: string }): void {
  own = data.own;
}

export async function resolve(specifier: string, context: Context, next: Next): Promise<{ readonly url: string }> {
  if (specifier !== "flower-agents" && !specifier.startsWith("flower-agents/")) return next(specifier, context);
  try {
    return await next(specifier, context);
  } catch {
    return next(specifier, { ...context, parentURL: own });
  }
}
