/**
 * Marks an object as one of ours by a registered symbol. Brands, not `instanceof`: a user's workflow file may have
 * loaded another copy of this package.
 */
export function brand(target: object, name: string): void {
  Object.defineProperty(target, Symbol.for(`flower.${name}`), { value: true });
}

/** True when the value carries the brand. */
export function hasBrand(value: unknown, name: string): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null && Symbol.for(`flower.${name}`) in value;
}
