/** Compares texts in a time that only their lengths decide. */
export function isSameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) {
    // Beyond the end of `b` this is NaN, and NaN counts as 0: the lengths differ already.
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
