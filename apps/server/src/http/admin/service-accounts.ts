import type { Outgoing } from "@exchange/contract";
import { ADMIN_ENDPOINTS, isRoleName, type ServiceAccount } from "@exchange/contract/admin";
import { stateOfServiceAccount } from "../../flows/people/service-account-key.ts";
import {
  createServiceAccount,
  listServiceAccountsFor,
  revokeServiceAccountBy,
} from "../../flows/people/service-accounts.ts";
import { created, list, toUnixSeconds, unixSecondsOrNull } from "../wire.ts";
import type { AdminDeps, RegisterAdmin } from "./registrar.ts";

/** The service accounts of the operator and of merchants. A merchant's people reach those of their merchant alone. */
export function registerServiceAccounts(register: RegisterAdmin, deps: AdminDeps): void {
  const { environment } = deps;
  register(ADMIN_ENDPOINTS.listServiceAccounts, async ({ caller }) => {
    const accounts = await listServiceAccountsFor(deps, caller.by);
    return list(
      accounts.map((account) => presentAccount(account, environment)),
      undefined,
    );
  });
  register(ADMIN_ENDPOINTS.createServiceAccount, async ({ caller, body }) => {
    const { merchantId, by } = caller;
    const expiresAt = new Date(body.expiresAt * 1_000);
    const made = await createServiceAccount(deps, { ...body, merchantId, expiresAt, by });
    const account = (await listServiceAccountsFor(deps, by)).find(({ id }) => id === made.id);
    if (account === undefined) throw new Error(`The new service account ${made.id} has no row.`);
    const serviceAccount = presentAccount(account, environment);
    return created({ serviceAccount, key: made.key }, "The service account is ready.");
  });
  register(ADMIN_ENDPOINTS.revokeServiceAccount, async ({ caller, params }) => {
    await revokeServiceAccountBy(deps, { id: params.serviceAccountId, by: caller.by });
    return null;
  });
}

type Listed = Awaited<ReturnType<typeof listServiceAccountsFor>>[number];

function presentAccount(account: Listed, environment: string): Outgoing<ServiceAccount> {
  const { id, role } = account;
  if (!isRoleName(role)) throw new Error(`The service account ${id} has no role of the table.`);
  return {
    serviceAccountId: id,
    name: account.name,
    merchantId: account.merchantId,
    merchantName: account.merchantName,
    role,
    state: stateOfServiceAccount(account),
    prefix: `exs_${environment}_${id}`,
    createdBy: account.createdBy,
    createdAt: toUnixSeconds(account.createdAt),
    expiresAt: toUnixSeconds(account.expiresAt),
    revokedAt: unixSecondsOrNull(account.revokedAt),
    lastUsedAt: unixSecondsOrNull(account.lastUsedAt),
    lastAddress: account.lastAddress,
  };
}
