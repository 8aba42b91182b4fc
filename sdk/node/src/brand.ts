/**
 * Makes `instanceof` hold for every copy of a class: an application may load this package as an ES
 * module and as CommonJS at once, and then there are two.
 */
export const brandOf = (name: string): symbol => Symbol.for(`@exchange/node:${name}`);

export const isBranded = (value: unknown, brand: symbol): boolean =>
  typeof value === "object" && value !== null && brand in value;
