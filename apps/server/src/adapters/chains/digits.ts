import { EndpointFault } from "./rpc.ts";

/** A string, which is kept, or a number. A quote within a string follows a backslash, so no string ends early. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;

/** Parses JSON with every number as the text of its digits. */
export function parseDigits(endpoint: string, text: string): unknown {
  try {
    return JSON.parse(
      text.replaceAll(TOKEN, (token) => (token.startsWith('"') ? token : `"${token}"`)),
    ) as unknown;
  } catch {
    throw new EndpointFault(endpoint, "the answer is not JSON");
  }
}
