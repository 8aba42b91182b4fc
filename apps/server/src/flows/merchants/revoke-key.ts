import type { ApiKey } from "../../domain/ports/merchant-directory.ts";
import { revokeApiKey } from "../../storage/merchants/api-keys.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Revokes an API key, effective within a second. Refuses NOT_FOUND. */
export async function revokeKey(
  deps: Pick<Deps, "database">,
  key: Pick<ApiKey, "merchantId" | "id">,
): Promise<void> {
  if (await revokeApiKey(deps.database, key)) return;
  throw new Refusal("NOT_FOUND", {
    message: `The merchant ${key.merchantId} has no active key ${key.id}.`,
  });
}
