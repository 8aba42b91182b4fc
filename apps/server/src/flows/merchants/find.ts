import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import type { Deps } from "../deps.ts";

/**
 * Returns the merchant with this client id unless it is disabled. A merchant in memory costs no statement; an
 * unknown one is looked up before it is refused, because it may have been created a moment ago.
 */
export async function findMerchant(
  deps: Pick<Deps, "directory" | "lookUp">,
  clientId: string,
): Promise<Merchant | undefined> {
  const cached = deps.directory().merchant(clientId);
  if (cached) return cached;
  await deps.lookUp(clientId);
  return deps.directory().merchant(clientId);
}
