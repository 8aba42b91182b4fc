import { createHash } from "node:crypto";

/** The id of order n, as books.sql writes it. */
export const idOf = (number) => {
  const n = BigInt(number);
  return 2_099_511_627_776n + (n / 3_000n) * 4_194_304n + ((n * 2_654_435_761n) % 4_194_304n);
};

/** The session of order n. */
export function sessionOf(number) {
  const hex = createHash("md5").update(`session${number}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
