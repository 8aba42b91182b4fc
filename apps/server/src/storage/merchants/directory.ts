import type { MerchantDirectory } from "../../domain/ports/merchant-directory.ts";
import type { Queryable } from "../postgres/database.ts";
import { listActiveApiKeys } from "./api-keys.ts";
import { listMerchants } from "./merchants.ts";

/** Reads merchants that are not disabled and keys that are not revoked into memory. */
export async function readMerchantDirectory(queryable: Queryable): Promise<MerchantDirectory> {
  const [merchants, keys] = await Promise.all([
    listMerchants(queryable),
    listActiveApiKeys(queryable),
  ]);
  const open = merchants.filter((merchant) => merchant.disabledAt === null);
  const merchantsById = new Map(open.map(({ id, name, settings }) => [id, { id, name, settings }]));
  const keysById = new Map(keys.map((key) => [key.id, key]));
  return {
    merchant: (id) => merchantsById.get(id),
    apiKey: (keyId) => keysById.get(keyId),
    listKeyIds: () => keysById.keys(),
  };
}
