/** Runs one call of a port. `run` makes the call itself, and its answer is returned. */
export type AroundCall = (name: string, values: readonly unknown[], run: () => unknown) => unknown;

/** Returns the same port with something around each of its methods, and those of its parts such as `refunds`. */
export function withCalls<Part extends object>(part: Part, around: AroundCall, prefix = ""): Part {
  const wrapped = new Map<unknown, unknown>();
  const wrap = (key: PropertyKey, value: unknown): unknown => {
    if (typeof value === "function") {
      return (...values: unknown[]): unknown =>
        around(`${prefix}${String(key)}`, values, () => value.apply(part, values));
    }
    const isPart = typeof value === "object" && value !== null && !Array.isArray(value);
    return isPart ? withCalls(value, around, `${String(key)}.`) : value;
  };
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (!wrapped.has(value)) wrapped.set(value, wrap(key, value));
      return wrapped.get(value);
    },
  });
}
