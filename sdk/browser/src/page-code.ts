import type { AuthenticationToken } from "./exchange-api.ts";
import { isText } from "./options.ts";

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
  try {
    const token: unknown = await (typeof source === "function" ? source() : source);
    return isText(token) ? token : undefined;
  } catch (error) {
    console.error("exchange: no authenticationToken.", error);
  }
  return undefined;
}
