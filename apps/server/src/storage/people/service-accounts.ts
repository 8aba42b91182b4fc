import type { PersonState } from "../../domain/people/person.ts";
import { type Queryable, statement, type Tx } from "../postgres/database.ts";

/** A service account as lists show it. */
export interface ServiceAccountRecord {
  readonly id: string;
  readonly name: string;
  /** Null for an account of the operator. */
  readonly merchantId: string | null;
  readonly merchantName: string | null;
  readonly role: string;
  readonly createdBy: string;
  /** The person who lent the rights, as they are now. Null when the account was created at the command line. */
  readonly creator: { readonly state: PersonState; readonly roles: readonly string[] } | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastAddress: string | null;
}

/** An account that a key names. */
export interface PresentedAccount extends ServiceAccountRecord {
  readonly digest: Uint8Array;
  readonly isMerchantDisabled: boolean;
}

const COLUMNS = `a.id, a.name, a.merchant_id as "merchantId", m.name as "merchantName", a.role,
  a.created_by as "createdBy", a.created_at as "createdAt", a.expires_at as "expiresAt",
  a.revoked_at as "revokedAt", a.last_used_at as "lastUsedAt", a.last_address as "lastAddress",
  case when c.id is not null then jsonb_build_object('state', c.state, 'roles', c.roles) end as creator`;
const FROM = `from service_accounts a left join merchants m on m.id = a.merchant_id
  left join people c on c.id = a.created_by_id`;

const INSERT = statement(
  "service_accounts_insert",
  `insert into service_accounts (id, name, merchant_id, role, digest, created_by_id, created_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (coalesce(merchant_id, ''), name) where revoked_at is null do nothing returning id`,
);
const FIND = statement(
  "service_accounts_find",
  `select ${COLUMNS}, a.digest, m.disabled_at is not null as "isMerchantDisabled" ${FROM} where a.id = $1`,
);
const NEWEST = "order by a.created_at desc, a.id";
const LIST = {
  all: statement("service_accounts_list", `select ${COLUMNS} ${FROM} ${NEWEST}`),
  ofMerchant: statement(
    "service_accounts_list_merchant",
    `select ${COLUMNS} ${FROM} where a.merchant_id = $1 ${NEWEST}`,
  ),
} as const;
const TOUCH = statement(
  "service_accounts_touch",
  "update service_accounts set last_used_at = clock_timestamp(), last_address = $2 where id = $1",
);
const REVOKE = statement(
  "service_accounts_revoke",
  `update service_accounts set revoked_at = clock_timestamp()
   where id = $1 and revoked_at is null and ($2::text is null or merchant_id = $2)
   returning name, role, merchant_id as "merchantId"`,
);

export interface NewServiceAccount
  extends Pick<
    ServiceAccountRecord,
    "id" | "name" | "merchantId" | "role" | "createdBy" | "expiresAt"
  > {
  readonly digest: Uint8Array;
  readonly createdById: string | null;
}

/** Adds an account. Returns false when one with the name works. */
export async function insertServiceAccount(tx: Tx, account: NewServiceAccount): Promise<boolean> {
  const { id, name, merchantId, role, digest, createdById, createdBy, expiresAt } = account;
  const values = [id, name, merchantId, role, digest, createdById, createdBy, expiresAt];
  return (await tx.query(INSERT, values)).length > 0;
}

/** Finds the account of a key, whether or not it works. */
export async function findServiceAccount(
  queryable: Queryable,
  id: string,
): Promise<PresentedAccount | undefined> {
  return (await queryable.query<PresentedAccount>(FIND, [id]))[0];
}

/** Lists accounts, the newest first: all, or a merchant's. */
export const listServiceAccounts = (
  queryable: Queryable,
  merchantId: string | null,
): Promise<ServiceAccountRecord[]> =>
  merchantId === null
    ? queryable.query<ServiceAccountRecord>(LIST.all)
    : queryable.query<ServiceAccountRecord>(LIST.ofMerchant, [merchantId]);

/** Writes the time and address of a use. */
export async function touchServiceAccount(
  queryable: Queryable,
  { id, address }: { readonly id: string; readonly address: string },
): Promise<void> {
  await queryable.query(TOUCH, [id, address]);
}

/** Revokes an account that is not revoked: any, or a merchant's. Returns undefined when there is none. */
export async function revokeServiceAccount(
  tx: Tx,
  { id, merchantId }: { readonly id: string; readonly merchantId: string | null },
): Promise<Pick<ServiceAccountRecord, "name" | "role" | "merchantId"> | undefined> {
  return (
    await tx.query<Pick<ServiceAccountRecord, "name" | "role" | "merchantId">>(REVOKE, [
      id,
      merchantId,
    ])
  )[0];
}
