import { Refusal } from "../flows/refusal.ts";

/** Encodes a position in a list. The text is opaque to clients. */
export const encodeCursor = (list: string, position: readonly bigint[]): string =>
  Buffer.from([list, ...position].join(".")).toString("base64url");

const POSITION = /^\d{1,16}$/;

/**
 * Returns the numbers of a cursor of this list. Refuses INVALID_INPUT, also for another list's
 * cursor.
 */
export function decodeCursor(list: string, text: string): readonly [bigint, ...bigint[]] {
  const [name, first = "", ...others] = Buffer.from(text, "base64url").toString().split(".");
  const position = [first, ...others];
  if (name !== list || !position.every((part) => POSITION.test(part))) throw badCursor();
  const numbers = position.map(BigInt) as [bigint, ...bigint[]];
  if (encodeCursor(list, numbers) !== text) throw badCursor();
  return numbers;
}

/** The last moment that a `Date` has, in milliseconds. */
const TIME_MAX = 8_640_000_000_000_000n;

/** Returns the time of a cursor's number in milliseconds. Refuses INVALID_INPUT for a number that is not a time. */
export function timeOfCursor(milliseconds: bigint): Date {
  if (milliseconds > TIME_MAX) throw badCursor();
  return new Date(Number(milliseconds));
}

const badCursor = (): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: "The cursor does not belong to this list. Start again without a cursor.",
    details: [{ path: "query.cursor", issue: "is not a nextCursor of this list" }],
  });
