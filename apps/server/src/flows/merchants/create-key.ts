import { makeApiKey } from "../../secrets/api-key.ts";
import { insertApiKey } from "../../storage/merchants/api-keys.ts";
import { lockMerchant } from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

export interface CreatedKey {
  readonly keyId: string;
  /** The key in the clear. It cannot be shown again. */
  readonly apiKey: string;
}

/**
 * Creates a second API key for a merchant, so that it can rotate without downtime. Refuses
 * NOT_FOUND, and INVALID_INPUT when two keys are active.
 */
export async function createKey(
  deps: Pick<Deps, "database" | "ids" | "environment">,
  merchantId: string,
): Promise<CreatedKey> {
  return deps.database.transaction(async (tx) => {
    const merchant = await lockMerchant(tx, merchantId);
    if (merchant === undefined) {
      throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
    }
    return insertNewKey(tx, deps, merchantId);
  });
}

/** Call it within a database transaction that holds the merchant's lock. */
export async function insertNewKey(
  tx: Tx,
  deps: Pick<Deps, "ids" | "environment">,
  merchantId: string,
): Promise<CreatedKey> {
  const key = makeApiKey(deps.environment, deps.ids);
  const stored = await insertApiKey(tx, { id: key.id, merchantId, digest: key.digest });
  if (stored === undefined) {
    throw new Refusal("INVALID_INPUT", {
      message: "The merchant has two active keys. Revoke one of them first.",
    });
  }
  return { keyId: stored.id, apiKey: key.text };
}
