import {
  isRoleName,
  ROLES,
  type RoleName,
  rolesOf,
  SERVICE_ACCOUNT_DAYS_MAX,
  SERVICE_ACCOUNT_NAME,
} from "@exchange/contract/admin";
import type { Operator } from "../../domain/operators/operator.ts";
import { makeApiKey } from "../../secrets/api-key.ts";
import { logControl } from "../../storage/audit/control-log.ts";
import { findMerchant } from "../../storage/merchants/merchants.ts";
import { lockPerson } from "../../storage/people/people.ts";
import {
  insertServiceAccount,
  listServiceAccounts,
  revokeServiceAccount,
  type ServiceAccountRecord,
} from "../../storage/people/service-accounts.ts";
import type { Tx } from "../../storage/postgres/database.ts";
import type { Deps } from "../deps.ts";
import { requireOperator } from "../operators/require-operator.ts";
import { Refusal } from "../refusal.ts";
import { canLend } from "./service-account-key.ts";

export interface CreateServiceAccount {
  readonly name: string;
  readonly role: string;
  /** Null for an account of the operator. */
  readonly merchantId: string | null;
  /** By the real clock. */
  readonly expiresAt: Date;
  readonly by: Operator;
}

export interface CreatedServiceAccount {
  readonly id: string;
  /** The key in the clear. It cannot be shown again. */
  readonly key: string;
}

type AccountDeps = Pick<Deps, "database" | "environment">;

const DAY_MS = 86_400_000;

/**
 * Creates a service account and returns its key, of which the database has only a digest. A person of the console
 * lends rights that they have; the command line lends any. Refuses INVALID_INPUT, NOT_FOUND and ROLE_REQUIRED.
 */
export async function createServiceAccount(
  deps: AccountDeps & Pick<Deps, "ids">,
  command: CreateServiceAccount,
): Promise<CreatedServiceAccount> {
  const by = requireOperator(deps, command.by);
  const { name, merchantId, expiresAt } = command;
  const role = requireTerms(command);
  if (merchantId !== null && !(await findMerchant(deps.database, merchantId))) {
    throw new Refusal("NOT_FOUND", { message: `There is no merchant ${merchantId}.` });
  }
  const { id, digest, text } = makeApiKey(deps.environment, deps.ids, "exs");
  const createdById = by.console?.personId ?? null;
  const account = { id, name, merchantId, role, digest, createdById, expiresAt };
  return deps.database.transaction(async (tx) => {
    await requireLender(tx, { by, role });
    if (!(await insertServiceAccount(tx, { ...account, createdBy: by.person }))) {
      throw invalid("name", `A service account ${name} exists. Revoke it first, or choose another`);
    }
    await logControl(tx, {
      operator: by,
      action: "create_service_account",
      subject: id,
      details: { name, client: merchantId },
      before: null,
      after: { name, role, expiresAt: expiresAt.toISOString() },
    });
    return { id, key: text };
  });
}

const invalid = (field: string, message: string): Refusal =>
  new Refusal("INVALID_INPUT", {
    message: `${message}.`,
    details: [{ field, issue: "is not accepted" }],
  });

/** Returns the role. Refuses INVALID_INPUT for a name, a role or an end that an account cannot have. */
function requireTerms({ name, role, merchantId, expiresAt }: CreateServiceAccount): RoleName {
  if (!new RegExp(SERVICE_ACCOUNT_NAME).test(name)) {
    throw invalid(
      "name",
      "The name has 1 to 40 lower-case letters, digits and hyphens, such as nightly-report",
    );
  }
  const kind = merchantId === null ? "operator" : "merchant";
  if (!isRoleName(role) || ROLES[role].kind !== kind) {
    const whose = kind === "operator" ? "the operator" : "a merchant";
    throw invalid("role", `Choose a role of ${whose}: ${rolesOf(kind).join(", ")}`);
  }
  const leftMs = expiresAt.getTime() - Date.now();
  if (leftMs > 0 && leftMs <= SERVICE_ACCOUNT_DAYS_MAX * DAY_MS) return role;
  throw invalid(
    "expiresAt",
    `The key must end in the future, within ${SERVICE_ACCOUNT_DAYS_MAX} days`,
  );
}

/** The person is locked, so that roles which they lose at the same time are not lent. */
async function requireLender(
  tx: Tx,
  { by, role }: { readonly by: Operator; readonly role: RoleName },
): Promise<void> {
  if (by.console === undefined) return;
  const { personId } = by.console;
  const person = personId === null ? undefined : await lockPerson(tx, personId);
  if (person && canLend(person, role)) return;
  throw new Refusal("ROLE_REQUIRED", {
    message: `You do not have every right of the role ${role}. Choose another role, or ask a person who has them.`,
    details: [{ field: "role", issue: "has rights that you do not have" }],
  });
}

/** Lists the accounts that the actor may see: of their merchant, or as the operator all. */
export const listServiceAccountsFor = (
  { database }: Pick<Deps, "database">,
  by: Pick<Operator, "console">,
): Promise<readonly ServiceAccountRecord[]> =>
  listServiceAccounts(database, by.console?.merchantId ?? null);

/** Revokes an account. Refuses NOT_FOUND, for one of another merchant too. */
export async function revokeServiceAccountBy(
  deps: AccountDeps,
  command: { readonly id: string; readonly by: Operator },
): Promise<void> {
  const by = requireOperator(deps, command.by);
  const { id } = command;
  await deps.database.transaction(async (tx) => {
    const merchantId = by.console?.merchantId ?? null;
    const revoked = await revokeServiceAccount(tx, { id, merchantId });
    if (!revoked) {
      throw new Refusal("NOT_FOUND", {
        message: `There is no service account ${id} that works. Look in the list.`,
      });
    }
    const { name, role } = revoked;
    await logControl(tx, {
      operator: by,
      action: "revoke_service_account",
      subject: id,
      details: { name, client: revoked.merchantId },
      before: { name, role },
      after: null,
    });
  });
}
