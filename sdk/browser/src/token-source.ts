import type { AuthenticationToken } from "./exchange-api.ts";
import { isText } from "./options.ts";

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
