/** Prints what does not change, and is the same object for many answers, once for as long as it lives. */
export function printedOnce<Value extends object>(
  print: (value: Value) => string,
): (value: Value) => string {
  const known = new WeakMap<Value, string>();
  return (value) => {
    let text = known.get(value);
    if (text === undefined) {
      text = print(value);
      known.set(value, text);
    }
    return text;
  };
}
