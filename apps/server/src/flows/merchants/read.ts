import { findMerchant, type MerchantRecord } from "../../storage/merchants/merchants.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Reads a merchant from the database, a disabled one too. Refuses NOT_FOUND. */
export async function readMerchant(
  { database }: Pick<Deps, "database">,
  merchantId: string,
): Promise<MerchantRecord> {
  const merchant = await findMerchant(database, merchantId);
  if (merchant) return merchant;
  throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
}
