import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { digestsMatch, parseApiKey } from "../../secrets/api-key.ts";
import type { Deps } from "../deps.ts";

/** The digest to compare with for an unknown key, so that a miss takes as long as a hit. */
const NO_DIGEST = new Uint8Array(32);

/** The credentials that a merchant's server sent. A header that is absent is undefined. */
export interface MerchantCredentials {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
}

/**
 * Returns the merchant that the credentials belong to. Undefined for every failure: nobody may tell
 * a missing key from a revoked one, another merchant's or another environment's. It reads memory
 * only.
 */
export function authenticateMerchant(
  deps: Pick<Deps, "environment" | "directory">,
  credentials: MerchantCredentials,
): Merchant | undefined {
  const presented = parseApiKey(credentials.apiKey ?? "");
  const { clientId } = credentials;
  if (presented === undefined || clientId === undefined) return undefined;
  const directory = deps.directory();
  const known = directory.apiKey(presented.keyId);
  const isKey = digestsMatch(presented.digest, known?.digest ?? NO_DIGEST);
  if (!known || !isKey) return undefined;
  const isMine = presented.environment === deps.environment && known.merchantId === clientId;
  return isMine ? directory.merchant(clientId) : undefined;
}
