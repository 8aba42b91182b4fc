import { EndpointFault } from "./rpc.ts";

/**
 * A string, which is kept, or a number. A quote within a string follows a backslash, so no string ends early. One step takes
 * all characters up to a backslash: with a step for each, a string of megabytes overflows the stack of the expression.
 */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;

/** Parses JSON with every number as the text of its digits. */
export function parseDigits(endpoint: string, text: string): unknown {
  try {
    return parseNumbers(text, 1);
  } catch {
    throw new EndpointFault(endpoint, "the answer is not JSON");
  }
}

/** The digits that a JavaScript number holds exactly. */
const EXACT_DIGITS = 15;

/** Parses JSON with every number that may be rounded otherwise as the text of its digits. */
export const parseLongDigits = (text: string): unknown => parseNumbers(text, EXACT_DIGITS + 1);

/** Parses JSON with every number of at least this many digits as text. */
const parseNumbers = (text: string, digits: number): unknown =>
  JSON.parse(
    text.replaceAll(TOKEN, (token) =>
      token.startsWith('"') || token.length < digits ? token : `"${token}"`,
    ),
  ) as unknown;
