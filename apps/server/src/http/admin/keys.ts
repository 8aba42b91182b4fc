import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, type MerchantKey } from "@exchange/contract/admin";
import { type CreatedKey, createKey } from "../../flows/merchants/create-key.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { revokeKey } from "../../flows/merchants/revoke-key.ts";
import {
  type ApiKeyRecord,
  listKeys,
  rollKey,
  stateOfKey,
} from "../../flows/merchants/roll-key.ts";
import { updateMerchant } from "../../flows/merchants/update.ts";
import { created, list, ok, toUnixSeconds } from "../wire.ts";
import { ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** API keys and origins of the merchant of the person who calls. */
export function registerMerchantKeys(register: RegisterAdmin, deps: AdminDeps): void {
  const present = (key: ApiKeyRecord) => presentKey(key, deps.environment);
  const withSecret = async (merchantId: string, { keyId, apiKey }: CreatedKey) => {
    const key = (await listKeys(deps, merchantId)).find(({ id }) => id === keyId);
    if (key === undefined) throw new Error(`The new key ${keyId} has no row.`);
    return created({ key: present(key), apiKey }, "The key is ready.");
  };
  register(ADMIN_ENDPOINTS.listKeys, async ({ caller }) =>
    list((await listKeys(deps, ownMerchant(caller))).map(present), undefined),
  );
  register(ADMIN_ENDPOINTS.createKey, async ({ caller, body }) => {
    const merchantId = ownMerchant(caller);
    const { scopes, networks } = body;
    const expiresAt = body.expiresAt === undefined ? undefined : new Date(body.expiresAt * 1_000);
    const limits = { scopes, networks, expiresAt };
    return withSecret(merchantId, await createKey(deps, { merchantId, ...limits, by: caller.by }));
  });
  register(ADMIN_ENDPOINTS.rollKey, async ({ caller, params, body }) => {
    const merchantId = ownMerchant(caller);
    const key = { merchantId, id: params.keyId, by: caller.by };
    return withSecret(merchantId, await rollKey(deps, { ...key, ...body }));
  });
  register(ADMIN_ENDPOINTS.revokeKey, async ({ caller, params }) => {
    const merchantId = ownMerchant(caller);
    await revokeKey(deps, { merchantId, id: params.keyId, by: caller.by });
    return null;
  });
  register(ADMIN_ENDPOINTS.readOrigins, async ({ caller }) => {
    const { settings } = await readMerchant(deps, ownMerchant(caller));
    return ok({ origins: settings.allowedOrigins });
  });
  register(ADMIN_ENDPOINTS.changeOrigins, async ({ caller, body }) => {
    const { settings } = await updateMerchant(deps, {
      merchantId: ownMerchant(caller),
      addedOrigins: body.add,
      removedOrigins: body.remove,
      by: caller.by,
    });
    return ok({ origins: settings.allowedOrigins });
  });
}

const timeOf = (time: Date | null): number | null => time && toUnixSeconds(time);

const presentKey = (key: ApiKeyRecord, environment: string): Outgoing<MerchantKey> => ({
  keyId: key.id,
  prefix: `exk_${environment}_${key.id}`,
  state: stateOfKey(key),
  scopes: [...key.scopes],
  networks: key.networks && [...key.networks],
  expiresAt: timeOf(key.expiresAt),
  createdAt: toUnixSeconds(key.createdAt),
  revokedAt: timeOf(key.revokedAt),
  lastUsedAt: timeOf(key.lastUsedAt),
  lastAddress: key.lastAddress,
});
