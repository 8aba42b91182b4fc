import type { Merchant } from "../../domain/ports/merchant-directory.ts";
import { digestApiKey, parseApiKey } from "../../secrets/api-key.ts";
import { insertApiKey, listApiKeys } from "../../storage/merchants/api-keys.ts";
import { insertMerchant, lockMerchant, updateMerchant } from "../../storage/merchants/merchants.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { UNLIMITED_KEY } from "./create-key.ts";

export interface DemoMerchant {
  /**
   * Chosen and stored by the caller beforehand, so that a crash does not create a second merchant.
   */
  readonly clientId: string;
  readonly apiKey: string;
  /** The origin of the demo shop, now and at the last start. */
  readonly shopOrigin: string | undefined;
  readonly previousShopOrigin: string | undefined;
}

/**
 * Creates the demo merchant with this id and key if it does not exist, and lets the shop's origin
 * open the popup. Returns false when its key was revoked and it needs another.
 */
export async function ensureDemoMerchant(
  deps: Pick<Deps, "database">,
  demo: DemoMerchant,
): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    const found = await lockMerchant(tx, demo.clientId);
    if (found === undefined) await insertMerchant(tx, newDemo(demo));
    else await followShop(tx, found, demo);
    return ensureKey(tx, demo);
  });
}

const newDemo = (demo: DemoMerchant): Merchant => ({
  id: demo.clientId,
  name: "Corner Coins",
  settings: {
    allowedOrigins: demo.shopOrigin === undefined ? [] : [demo.shopOrigin],
    countryCode: "DE",
    defaults: { baseCurrency: "eur", targetCurrency: "btc" },
  },
});

async function followShop(tx: Tx, merchant: Merchant, demo: DemoMerchant): Promise<void> {
  const { shopOrigin, previousShopOrigin } = demo;
  const others = merchant.settings.allowedOrigins.filter(
    (origin) => origin !== previousShopOrigin && origin !== shopOrigin,
  );
  const allowedOrigins = shopOrigin === undefined ? others : [...others, shopOrigin];
  if (allowedOrigins.join() === merchant.settings.allowedOrigins.join()) return;
  const settings = { ...merchant.settings, allowedOrigins };
  await updateMerchant(tx, { id: merchant.id, name: merchant.name, settings });
}

async function ensureKey(tx: Tx, demo: DemoMerchant): Promise<boolean> {
  const id = parseApiKey(demo.apiKey)?.keyId;
  if (id === undefined) return false;
  const storedKey = (await listApiKeys(tx, demo.clientId)).find((key) => key.id === id);
  if (storedKey !== undefined) return storedKey.revokedAt === null;
  const key = {
    id,
    merchantId: demo.clientId,
    digest: digestApiKey(demo.apiKey),
    ...UNLIMITED_KEY,
  };
  return (await insertApiKey(tx, key)) !== undefined;
}
