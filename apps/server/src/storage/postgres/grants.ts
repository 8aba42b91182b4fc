import {
  DEFINER_FUNCTIONS,
  SANDBOX_RIGHTS,
  SEQUENCE_RIGHTS,
  SERVICE_ROLES,
  type ServiceRole,
  TABLE_RIGHTS,
  WORKER_FUNCTIONS,
} from "../role-rights.ts";
import { type Database, type Statement, statement, type Tx } from "./database.ts";

/** The processes that connect with a role: one kind, or both. */
export type RoleUse = ServiceRole | "all";

/** The rights that a role was granted. */
export interface Grants {
  readonly role: string;
  readonly use: RoleUse;
  /** The privileges on each table, as `grant` took them. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/** The role cannot be restricted by grants, or does not exist. */
export class GrantsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "GrantsError";
  }
}

const SCHEMAS = "('public', 'sandbox')";

interface RoleRow {
  readonly is_powerful: boolean;
  readonly is_owner: boolean;
}
// A superuser passes every grant, and so does a member of the role that owns the tables.
const READ_ROLE = statement(
  "grants_read_role",
  `select r.rolsuper or r.rolcreaterole or r.rolbypassrls as is_powerful, exists (
     select from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p')
       and pg_has_role(r.oid, c.relowner, 'member')) as is_owner
   from pg_roles r where r.rolname = $1`,
);

const READ_TABLES = statement(
  "grants_read_tables",
  `select n.nspname as schema, c.relname as name
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p', 'v') order by 1, 2`,
);
const READ_SCHEMAS = statement(
  "grants_read_schemas",
  `select format('%I', nspname) as name, current_setting('server_version_num')::int as version
   from pg_namespace where nspname in ${SCHEMAS} order by 1`,
);
const QUOTE = statement(
  "grants_quote",
  "select format('%I', $1::text) as name, format('%I', current_database()) as database",
);

const ALL_FUNCTIONS = [...DEFINER_FUNCTIONS, ...WORKER_FUNCTIONS];

/** PostgreSQL 17 has a privilege to analyze tables. In earlier versions only autovacuum does it then. */
const MAINTAIN_SINCE = 170_000;

/**
 * Grants a role what its processes need and nothing else, as the table of rights says. Earlier grants are replaced in
 * the same database transaction, so a running service does not notice.
 */
export function grantService(database: Database, role: string, use: RoleUse): Promise<Grants> {
  return database.transaction(async (tx) => {
    await requireOrdinaryRole(tx, role);
    const tables = rightsOf(use, await tx.query<TableRow>(READ_TABLES));
    const [quoted] = await tx.query<{ name: string; database: string }>(QUOTE, [role]);
    const { name = "", database: on = "" } = quoted ?? {};
    const schemas = await tx.query<{ name: string; version: number }>(READ_SCHEMAS);
    await tx.query(run(`revoke temporary on database ${on} from public`));
    for (const schema of schemas)
      for (const each of schemaGrants(schema, { name, use })) await tx.query(each);
    for (const [table, rights] of Object.entries(tables))
      for (const right of rights) await tx.query(run(`grant ${right} on ${table} to ${name}`));
    for (const [sequence, rights] of Object.entries(SEQUENCE_RIGHTS))
      for (const each of rolesOf(use))
        await tx.query(run(`grant ${rights[each]} on sequence public.${sequence} to ${name}`));
    for (const each of use === "api" ? DEFINER_FUNCTIONS : ALL_FUNCTIONS)
      await tx.query(run(`grant execute on function public.${each} to ${name}`));
    return { role, use, tables };
  });
}

interface TableRow {
  readonly schema: string;
  readonly name: string;
}

const rolesOf = (use: RoleUse): readonly ServiceRole[] => (use === "all" ? SERVICE_ROLES : [use]);

/** A table without rights in the list is granted to nobody, and a test fails. */
function rightsOf(use: RoleUse, tables: readonly TableRow[]): Grants["tables"] {
  const roles = rolesOf(use);
  return Object.fromEntries(
    tables.map(({ schema, name }) => {
      const rights = roles.map((role) =>
        schema === "public" ? (TABLE_RIGHTS[name]?.[role] ?? "") : SANDBOX_RIGHTS,
      );
      return [`${schema}.${name}`, [...new Set(rights)].filter((right) => right !== "")];
    }),
  );
}

/** The rights of a connection, as far as the service asks for them. */
export interface RoleRights {
  readonly role: string;
  /** The role may write payouts, and with them everything else that a worker writes. */
  readonly mayPay: boolean;
  /** The role may place orders for customers. */
  readonly mayPlaceOrders: boolean;
  /** The role may change tables and triggers, so no grant binds it. */
  readonly mayAlter: boolean;
}

const READ_RIGHTS = statement(
  "grants_read_rights",
  `select current_user::text as role, has_table_privilege('payout_intents', 'insert') as "mayPay",
     has_table_privilege('orders', 'insert') as "mayPlaceOrders",
     pg_has_role(relowner, 'usage') as "mayAlter"
   from pg_class where oid = 'payout_intents'::regclass`,
);

/** Returns what the role of this connection may do. */
export async function readRoleRights(database: Database): Promise<RoleRights> {
  const [rights] = await database.query<RoleRights>(READ_RIGHTS);
  if (!rights) throw new Error("The table payout_intents is missing: run the migrations.");
  return rights;
}

async function requireOrdinaryRole(tx: Tx, role: string): Promise<void> {
  const [row] = await tx.query<RoleRow>(READ_ROLE, [role]);
  if (row === undefined) {
    throw new GrantsError(
      `There is no role ${role}. Create it first: create role ${role} login password '…'.`,
    );
  }
  if (!row.is_powerful && !row.is_owner) return;
  const why = row.is_owner ? "owns the tables" : "may change roles or pass every check";
  throw new GrantsError(
    `The role ${role} ${why}, so grants do not bind it. Name a role that is neither the owner nor a superuser.`,
  );
}

const run = (text: string): Statement => statement("", text);

function schemaGrants(
  schema: { readonly name: string; readonly version: number },
  { name: role, use }: { readonly name: string; readonly use: RoleUse },
): Statement[] {
  const maintain = use !== "api" && schema.version >= MAINTAIN_SINCE ? ["maintain"] : [];
  return [
    run(`revoke create on schema ${schema.name} from public`),
    run(`revoke all on all tables in schema ${schema.name} from public, ${role}`),
    run(`revoke all on all sequences in schema ${schema.name} from public, ${role}`),
    run(`grant usage on schema ${schema.name} to ${role}`),
    ...maintain.map((one) => run(`grant ${one} on all tables in schema ${schema.name} to ${role}`)),
  ];
}
