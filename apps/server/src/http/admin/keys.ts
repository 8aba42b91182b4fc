import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, grantableScopes, type MerchantKey } from "@exchange/contract/admin";
import type { Static, TSchema } from "@sinclair/typebox";
import { type CreatedKey, type CreateKey, createKey } from "../../flows/merchants/create-key.ts";
import { readMerchant } from "../../flows/merchants/read.ts";
import { type RevokeKey, revokeKey } from "../../flows/merchants/revoke-key.ts";
import {
  type ApiKeyRecord,
  listKeys,
  rollKey,
  stateOfKey,
} from "../../flows/merchants/roll-key.ts";
import { updateMerchant } from "../../flows/merchants/update.ts";
import { created, list, ok, toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import { type AdminCaller, ownMerchant } from "./callers.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** API keys and origins: for the merchant's own people, and for the operator's of any merchant. */
export function registerMerchantKeys(register: RegisterAdmin, deps: AdminDeps): void {
  const calls = makeKeyCalls(deps);
  register(ADMIN_ENDPOINTS.listKeys, ({ caller }) => calls.listKeys(ownMerchant(caller)));
  register(ADMIN_ENDPOINTS.createKey, ({ caller, body }) =>
    calls.createKey(ownChange(caller), body),
  );
  register(ADMIN_ENDPOINTS.rollKey, ({ caller, params, body }) =>
    calls.rollKey({ ...ownChange(caller), id: params.keyId }, body),
  );
  register(ADMIN_ENDPOINTS.revokeKey, ({ caller, params }) =>
    calls.revokeKey({ merchantId: ownMerchant(caller), id: params.keyId, by: caller.by }),
  );
  register(ADMIN_ENDPOINTS.readOrigins, ({ caller }) => calls.readOrigins(ownMerchant(caller)));
  register(ADMIN_ENDPOINTS.changeOrigins, ({ caller, body }) =>
    calls.changeOrigins({ merchantId: ownMerchant(caller), by: caller.by }, body),
  );
  register(ADMIN_ENDPOINTS.listKeysOfMerchant, ({ params }) => calls.listKeys(params.merchantId));
  register(ADMIN_ENDPOINTS.createKeyOfMerchant, ({ caller, params, body }) =>
    calls.createKey({ ...params, by: caller.by }, body),
  );
  register(ADMIN_ENDPOINTS.rollKeyOfMerchant, ({ caller, params, body }) =>
    calls.rollKey({ merchantId: params.merchantId, id: params.keyId, by: caller.by }, body),
  );
  register(ADMIN_ENDPOINTS.revokeKeyOfMerchant, ({ caller, params }) =>
    calls.revokeKey({ merchantId: params.merchantId, id: params.keyId, by: caller.by }),
  );
  register(ADMIN_ENDPOINTS.readOriginsOfMerchant, ({ params }) =>
    calls.readOrigins(params.merchantId),
  );
  register(ADMIN_ENDPOINTS.changeOriginsOfMerchant, ({ caller, params, body }) =>
    calls.changeOrigins({ ...params, by: caller.by }, body),
  );
}

/** The merchant whose keys or origins are changed, and who changes them. */
type Change = Pick<RevokeKey, "merchantId" | "by">;
type KeyChange = Pick<CreateKey, "merchantId" | "by" | "grantable">;

/** A change by a person of the merchant. A key that they make does no more than they may. */
const ownChange = (caller: AdminCaller): KeyChange => ({
  merchantId: ownMerchant(caller),
  by: caller.by,
  grantable: grantableScopes((permission) => caller.may(permission)),
});

type BodyOf<E extends { readonly body: TSchema }> = Static<E["body"]>;

function makeKeyCalls(deps: AdminDeps) {
  const present = (key: ApiKeyRecord) => presentKey(key, deps.environment);
  const withSecret = async (merchantId: string, { keyId, apiKey }: CreatedKey) => {
    const key = (await listKeys(deps, merchantId)).find(({ id }) => id === keyId);
    if (key === undefined) throw new Error(`The new key ${keyId} has no row.`);
    return created({ key: present(key), apiKey }, "The key is ready.");
  };
  return {
    async listKeys(merchantId: string) {
      const { id } = await readMerchant(deps, merchantId);
      return list((await listKeys(deps, id)).map(present), undefined);
    },
    async createKey(change: KeyChange, body: BodyOf<typeof ADMIN_ENDPOINTS.createKey>) {
      const { scopes, networks } = body;
      const expiresAt = body.expiresAt === undefined ? undefined : new Date(body.expiresAt * 1_000);
      const made = await createKey(deps, { ...change, scopes, networks, expiresAt });
      return withSecret(change.merchantId, made);
    },
    rollKey: async (
      key: KeyChange & Pick<RevokeKey, "id">,
      body: BodyOf<typeof ADMIN_ENDPOINTS.rollKey>,
    ) => withSecret(key.merchantId, await rollKey(deps, { ...key, ...body })),
    async revokeKey(key: RevokeKey) {
      await revokeKey(deps, key);
      return null;
    },
    async readOrigins(merchantId: string) {
      const { settings } = await readMerchant(deps, merchantId);
      return ok({ origins: settings.allowedOrigins });
    },
    async changeOrigins(change: Change, body: BodyOf<typeof ADMIN_ENDPOINTS.changeOrigins>) {
      const { settings } = await updateMerchant(deps, {
        ...change,
        addedOrigins: body.add,
        removedOrigins: body.remove,
      });
      return ok({ origins: settings.allowedOrigins });
    },
  };
}

const presentKey = (key: ApiKeyRecord, environment: string): Outgoing<MerchantKey> => ({
  keyId: key.id,
  prefix: `exk_${environment}_${key.id}`,
  state: stateOfKey(key),
  scopes: [...key.scopes],
  networks: key.networks && [...key.networks],
  expiresAt: unixSecondsOrNull(key.expiresAt),
  createdAt: toUnixSeconds(key.createdAt),
  revokedAt: unixSecondsOrNull(key.revokedAt),
  lastUsedAt: unixSecondsOrNull(key.lastUsedAt),
  lastAddress: key.lastAddress,
});
