import { makeApiKey } from "../../secrets/api-key.ts";
import { insertApiKey } from "../../storage/merchants/api-keys.ts";
import { lockMerchant } from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

export interface CreatedKey {
  readonly keyId: string;
  /** The key itself: nothing can show it again. */
  readonly apiKey: string;
}

/**
 * Gives a merchant another API key beside the one it has, so that it can roll without downtime.
 * Refuses NOT_FOUND, and INVALID_INPUT when two keys are active.
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

/** Within a database transaction that holds the merchant. */
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
