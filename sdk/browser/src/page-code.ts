import type { AuthenticationToken } from "./exchange-api.ts";
import { isFunction, isText } from "./options.ts";

/**
 * Runs a function of the page. An error in it is reported to the console and must not break the
 * checkout.
 */
export function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}

/** Starts fetching the token now, inside the click. Resolves to undefined when that fails. */
export async function readToken(source: AuthenticationToken): Promise<string | undefined> {
  let found: unknown;
  try {
    found = await (isFunction(source) ? source() : source);
    if (isText(found)) return found;
  } catch (error) {
    found = error;
  }
  // Names what the page returned, often undefined, or the error of its function.
  console.error("exchange: authenticationToken is", found);
  return undefined;
}
