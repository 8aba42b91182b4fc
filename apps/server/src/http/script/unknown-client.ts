import { renderRefusal } from "@exchange/browser/render";
import type { Deps } from "../../flows/deps.ts";

/** The longest client id that a message repeats. */
const SHOWN_CHARACTERS_MAX = 64;

/** Says that a client id does not exist, and where the right one is. */
export const unknownClient = (clientId: string): string =>
  `"${clientId.slice(0, SHOWN_CHARACTERS_MAX)}" is not a client id of this service. Run: exchange merchant list`;

/**
 * Returns a script for a page whose client id does not exist: it says so in the page's console, and its `init`
 * throws `unknown_client`. In prod the page's script tag fails with the documented 500 instead.
 */
export function scriptOfUnknownClient(
  { environment }: Pick<Deps, "environment">,
  clientId: string,
): string | undefined {
  if (environment === "prod") return undefined;
  return renderRefusal({ code: "unknown_client", message: unknownClient(clientId) });
}
