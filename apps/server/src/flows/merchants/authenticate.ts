import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { digestsMatch, parseApiKey } from "../../secrets/api-key.ts";
import type { Deps } from "../deps.ts";

/** Compared with when there is no such key, so that a miss takes as long as a hit. */
const NO_DIGEST = new Uint8Array(32);

/** What a merchant's server sent to prove who it is, if it did. */
export interface MerchantCredentials {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
}

/**
 * The merchant the credentials belong to, or undefined whatever the cause: nobody may tell a missing
 * key from a revoked one, another merchant's or another environment's. From memory, at once.
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
