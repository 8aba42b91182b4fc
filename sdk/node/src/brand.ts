/**
 * Makes `instanceof` true for every copy of a class. An application that loads this package both as
 * an ES module and as CommonJS has two copies.
 */
export const brandOf = (name: string): symbol => Symbol.for(`@exchange/node:${name}`);

export const isBranded = (value: unknown, brand: symbol): boolean =>
  typeof value === "object" && value !== null && brand in value;
