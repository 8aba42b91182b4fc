import { isInNetworks } from "../../domain/merchants/networks.ts";
import type { ApiKey, Merchant } from "../../domain/ports/merchant-directory.ts";
import { digestsMatch, type PresentedApiKey, parseApiKey } from "../../secrets/api-key.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** The digest to compare with for an unknown key, so that a miss takes as long as a hit. */
const NO_DIGEST = new Uint8Array(32);

/** The credentials that a merchant's server sent. A header that is absent is undefined. */
export interface MerchantCredentials {
  readonly apiKey: string | undefined;
  readonly clientId: string | undefined;
  /** The address of the caller. */
  readonly address: string;
}

export interface MerchantIdentity {
  readonly merchant: Merchant;
  readonly key: ApiKey;
}

type AuthDeps = Pick<Deps, "environment" | "directory" | "lookUp">;

/**
 * Returns the merchant that the credentials belong to, and the key. Refuses UNAUTHORIZED for every
 * failure: a caller cannot distinguish a missing key from a revoked or expired one, or from one of
 * another merchant or environment. Only the security log has the reason. A key in memory costs no statement; an unknown
 * one is looked up before it is refused, because it may have been created a moment ago.
 */
export async function authenticateMerchant(
  deps: AuthDeps,
  credentials: MerchantCredentials,
): Promise<MerchantIdentity> {
  const { clientId, address } = credentials;
  const presented = parseApiKey(credentials.apiKey ?? "");
  if (presented === undefined || clientId === undefined) throw refused("malformed");
  const { keyId } = presented;
  if (presented.environment !== deps.environment) throw refused("other_environment", keyId);
  const key = await findKey(deps, presented);
  const isKey = digestsMatch(presented.digest, key?.digest ?? NO_DIGEST);
  if (!key) throw refused("unknown_key", keyId);
  if (!isKey) throw refused("wrong_secret", keyId);
  if (key.merchantId !== clientId) throw refused("other_client", keyId);
  const merchant = deps.directory().merchant(clientId);
  if (!merchant) throw refused("disabled_merchant", keyId);
  // Keys expire by the real clock, because the sandbox's business clock may run ahead.
  if (key.expiresAt && key.expiresAt.getTime() <= Date.now()) throw refused("expired_key", keyId);
  if (key.networks && !isInNetworks(address, key.networks)) throw refused("other_network", keyId);
  return { merchant, key };
}

async function findKey(deps: AuthDeps, { keyId }: PresentedApiKey): Promise<ApiKey | undefined> {
  const cached = deps.directory().apiKey(keyId);
  if (cached) return cached;
  await deps.lookUp(keyId);
  return deps.directory().apiKey(keyId);
}

const refused = (reason: string, keyId?: string): Refusal =>
  new Refusal("UNAUTHORIZED", { logged: { reason, keyId } });
