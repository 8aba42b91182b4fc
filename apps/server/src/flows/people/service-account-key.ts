import { isRoleName, mayLend, type RoleName } from "@exchange/contract/admin";
import { type Operator, SERVICE_ACCOUNT_PREFIX } from "../../domain/operators/operator.ts";
import { digestsMatch, parseApiKey } from "../../secrets/api-key.ts";
import {
  findServiceAccount,
  type PresentedAccount,
  type ServiceAccountRecord,
  touchServiceAccount,
} from "../../storage/people/service-accounts.ts";
import type { Deps } from "../deps.ts";
import { Refusal } from "../refusal.ts";

/** Returns whether a person may lend a role to a service account, and so whether one that they created works. */
export const canLend = (
  { state, roles }: { readonly state: string; readonly roles: readonly string[] },
  role: RoleName,
): boolean => state === "active" && mayLend(roles.filter(isRoleName), role);

/** `suspended`: the person who created it no longer has all rights of its role. The end is by the real clock. */
export function stateOfServiceAccount({
  role,
  creator,
  expiresAt,
  revokedAt,
}: Pick<ServiceAccountRecord, "role" | "creator" | "expiresAt" | "revokedAt">) {
  if (revokedAt !== null) return "revoked" as const;
  if (expiresAt.getTime() <= Date.now()) return "expired" as const;
  const isLent = isRoleName(role) && (creator === null || canLend(creator, role));
  return isLent ? ("active" as const) : ("suspended" as const);
}

/** A service account that calls. */
export interface CallingAccount {
  readonly by: Operator;
  readonly merchantId: string | null;
  readonly role: RoleName;
}

/** The digest to compare with for an unknown key, so that a miss takes as long as a hit. */
const NO_DIGEST = new Uint8Array(32);
/** The last use of a key is written once in this time. */
const NOTED_MS = 60_000;

/**
 * Returns the service account of a key. Refuses SERVICE_ACCOUNT_KEY_INVALID for every failure: a caller cannot
 * distinguish an unknown key from one that ended. Only the security log has the reason.
 */
export async function requireServiceAccount(
  deps: Pick<Deps, "database" | "environment">,
  { key, address }: { readonly key: string; readonly address: string },
): Promise<CallingAccount> {
  const presented = parseApiKey(key, "exs");
  if (presented === undefined) throw refused("malformed");
  const { keyId: id, digest, environment } = presented;
  if (environment !== deps.environment) throw refused("other_environment", id);
  const account = await findServiceAccount(deps.database, id);
  const isKey = digestsMatch(digest, account?.digest ?? NO_DIGEST);
  if (!account) throw refused("unknown_key", id);
  if (!isKey) throw refused("wrong_secret", id);
  const { role, merchantId, lastUsedAt } = account;
  const state = stateOfServiceAccount(account);
  if (state !== "active" || !isRoleName(role)) throw refused(`${state}_key`, id);
  if (account.isMerchantDisabled) throw refused("disabled_merchant", id);
  if (lastUsedAt === null || lastUsedAt.getTime() < Date.now() - NOTED_MS) {
    await touchServiceAccount(deps.database, { id, address });
  }
  return { by: actorOfAccount(account, address), merchantId, role };
}

const refused = (reason: string, serviceAccountId?: string): Refusal =>
  new Refusal("SERVICE_ACCOUNT_KEY_INVALID", { logged: { reason, serviceAccountId } });

/** Returns the account as the log of changes names it. */
const actorOfAccount = (
  { id, name, merchantId }: Pick<PresentedAccount, "id" | "name" | "merchantId">,
  address: string,
): Operator => ({
  person: `${SERVICE_ACCOUNT_PREFIX}${name}`,
  systemUser: null,
  sudoUser: null,
  account: `service account ${id}`,
  console: { personId: null, serviceAccountId: id, merchantId, address },
});
