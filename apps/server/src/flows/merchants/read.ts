import {
  findListedMerchant,
  findMerchant,
  type ListedMerchantRecord,
  type MerchantRecord,
  type MerchantSearch,
  searchMerchants,
} from "../../storage/merchants/merchants.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

type ReadDeps = Pick<Deps, "database">;

/** Reads a merchant from the database, a disabled one too. Refuses NOT_FOUND. */
export async function readMerchant(
  { database }: ReadDeps,
  merchantId: string,
): Promise<MerchantRecord> {
  return requireFound(await findMerchant(database, merchantId), merchantId);
}

/** Reads a merchant as lists show it. Refuses NOT_FOUND. */
export async function readListedMerchant(
  { database }: ReadDeps,
  merchantId: string,
): Promise<ListedMerchantRecord> {
  return requireFound(await findListedMerchant(database, merchantId), merchantId);
}

function requireFound<Row>(row: Row | undefined, merchantId: string): Row {
  if (row !== undefined) return row;
  throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
}

/** Lists merchants, the newest first, with the place of the next page where there is one. */
export async function listMerchantsPage({ database }: ReadDeps, wanted: MerchantSearch) {
  const { limit, offset } = wanted;
  const found = await searchMerchants(database, { ...wanted, limit: limit + 1 });
  const until = wanted.until ?? found[0]?.createdAt;
  const next = found.length > limit && until ? { offset: offset + limit, until } : undefined;
  return { items: found.slice(0, limit), next };
}

export type { ListedMerchantRecord } from "../../storage/merchants/merchants.ts";
